"""What ended a task before it had its answer."""

PROCESSOR = "processor time"
"""Its limit of processor time: another run comes to that as well."""
OTHERWISE = "otherwise"
"""What depends on the machine: memory, disk space, time in which it only slept."""
