"""Histograms of a Tombola collector, with their errors and their guarantee.

    with Client.from_config("DIR/tombola.json") as client:
        answer = client.histogram(task, top=10)
        for row in answer.rows:
            print(row.value, row.frequency, row.low, row.high)
        print(answer.guarantee)
"""
from .client import Client
from .errors import TombolaError
from .histogram import Guarantee, Histogram, Quality, QualityWarning, Rejected, Row
from .tasks import TaskStatus

__all__ = ["Client", "Guarantee", "Histogram", "Quality", "QualityWarning", "Rejected", "Row",
           "TaskStatus", "TombolaError"]
