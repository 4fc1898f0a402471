DIFFERING: dict[tuple[str, str], str] = {}
