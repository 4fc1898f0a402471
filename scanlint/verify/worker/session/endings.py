"""Why a task ended before it had its answer."""

PROCESSOR = "processor time"
"""Its limit of processor time: another run comes to that as well."""
OTHERWISE = "otherwise"
"""A limit that depends on the machine: memory, disk space, time in which it only slept."""
