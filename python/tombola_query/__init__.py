"""Answers of a Tombola collector, with their errors and their guarantee: histograms, sets,
key-value pairs, numbers, records, streams and strings.trusted totals.

    with Client.from_config("DIR/tombola.json") as client:
        answer = client.histogram(task, top=10)
        for row in answer.rows:
            print(row.value, row.frequency, row.low, row.high)
        print(answer.guarantee)
"""
from .answer import Answer, Guarantee, PeriodRun, Periods, Quality, QualityWarning, Rejected
from .client import Client
from .errors import TombolaError
from .histogram import Histogram, Row
from .key_value import KeyValueRow, KeyValues
from .number import Estimate, NumberRow, Numbers, Range
from .ranking import Place, Ranking
from .records import Independence, RecordRow, Records
from .set import Set
from .stream import Stream, StreamRow, Total
from .strings import Level, Strings
from .tasks import TaskStatus
from .totals import Totals, TotalsRow

__all__ = ["Answer", "Client", "Estimate", "Guarantee", "Histogram", "Independence", "KeyValueRow",
           "KeyValues", "Level", "NumberRow", "Numbers", "PeriodRun", "Periods", "Place", "Quality",
           "QualityWarning", "Range", "Ranking", "RecordRow", "Records", "Rejected", "Row", "Set",
           "Stream", "StreamRow", "Strings", "TaskStatus", "TombolaError", "Total", "Totals", "TotalsRow"]
