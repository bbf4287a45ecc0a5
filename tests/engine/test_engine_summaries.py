"""A routine's summary: written when its run has gone well, read by the next, and by nobody else."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns
from routine_stage import HEAVY, Routines

from roundtable_desktop.engine.desk import board, routines as desk
from roundtable_desktop.model.records import Agent, Run
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.states import Role
from roundtable_desktop.model.summaries import Summary
from roundtable_desktop.rules import summary as rule
from roundtable_desktop.store import inbox, journal
from roundtable_desktop.store import summaries as stored
