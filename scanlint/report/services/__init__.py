"""Reports in the forms of other tools and services: code scanning, code quality, reviews, test reports."""
