"""What a sentence does, and the cues that show it."""

from __future__ import annotations

import re
from enum import IntEnum, auto
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Kind(IntEnum):
    """What a sentence does, as far as its words show it."""

    DEMAND = auto()
    """Asks for what the agent needs: ASK whatever else the text says."""
    REQUEST = auto()
    """Tells the user to do something: ASK unless the text declines or reports finished work."""
    ADVICE = auto()
    """Says what would help: ASK next to an obstacle or a failure only."""
    DECISION = auto()
    """Asks how to go on: ASK where something was declined or stands in the way."""
    DIRECTION = auto()
    """Asks whether to go on in some way: ASK where something stands in the way."""
    PROPOSAL = auto()
    """Offers a change to the user's things, which needs their word: ASK unless the text declines or reports."""
    OFFER = auto()
    """Offers something extra: ASK only where nothing else is said."""
    COURTESY = auto()
    """Greets, offers help, or closes a conversation."""
    REFUSAL = auto()
    """Declines, or says that it can't be done."""
    OBSTACLE = auto()
    """Says that it can't be done as things are: REFUSE unless the text tells the user what to change."""
    FAILURE = auto()
    """Reports what went wrong: REFUSE unless a later sentence reports finished work."""
    ABSENCE = auto()
    """Says that something isn't there: ASK where the text tells the user what to do about it, else a fact."""
    PLAN = auto()
    """Says what the agent does next: what stood in the way before is being dealt with."""
    CAUTION = auto()
    """Says what won't be possible, beside other matters: REFUSE only where nothing else is said."""
    COMPLETION = auto()
    """Reports finished work."""


class Sign(NamedTuple):
    """A kind with its evidence: rule, and character span in the sentence."""

    kind: Kind
    rule: str
    span: tuple[int, int]


class Cue(NamedTuple):
    """A turn of phrase that shows what a sentence does.

    Attributes:
        rule: Its name, which evidence shows.
        kind: What the sentence does.
        words: Words of which every sentence with the phrase holds one.
        pattern: The phrase, in lower case; it begins where a word does.
    """

    rule: str
    kind: Kind
    words: frozenset[str]
    pattern: re.Pattern[str]

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The first place from `start` on where the phrase stands."""
        # A word boundary at the head of a pattern would keep the search engine from looking for first letters.
        match = self.pattern.search(text, start)
        while match and (first := match.start()) and text[first].isalnum() and text[first - 1].isalnum():
            match = self.pattern.search(text, first + 1)
        return match


def cue(rule: str, kind: Kind, words: str, *patterns: str) -> Cue:
    """A cue from words, separated by spaces, and alternative patterns."""
    return Cue(rule, kind, frozenset(words.split()), re.compile("|".join(patterns)))


class CueTable:
    """Cues in order of preference, found by the words of a sentence: most sentences hold few of them.

    A set of cues is an int with one bit a cue. The two bits above them say whether a word of `needs` is there, without
    which no cue counts, and whether one of `doubts` is, with which a cue has to be looked at more closely.

    Attributes:
        bits: The bits of each word.
        size: How many bits there are.
        triggers: A sentence none of whose words has one of these bits shows none of the cues.
    """

    def __init__(
        self, cues: Iterable[Cue], needs: frozenset[str] = frozenset(), doubts: frozenset[str] = frozenset()
    ) -> None:
        self._cues = tuple(cues)
        self._searches = tuple(one.pattern.search for one in self._cues)
        self._all = (1 << len(self._cues)) - 1
        need, self._doubt = 1 << len(self._cues), 2 << len(self._cues)
        self.size = len(self._cues) + 2
        self.triggers = need if needs else self._all
        self.bits: dict[str, int] = {}
        for words, bit in ((needs, need), (doubts, self._doubt)):
            for word in words:
                self.bits[word] = self.bits.get(word, 0) | bit
        for place, one in enumerate(self._cues):
            for word in one.words:
                self.bits[word] = self.bits.get(word, 0) | 1 << place

    def found(self, text: str, bits: int) -> Iterator[tuple[Cue, re.Match[str]]]:
        """The cues of a set that a sentence shows, in the order of the table, each with its first place."""
        bits &= self._all
        while bits:
            lowest = bits & -bits
            bits ^= lowest
            place = lowest.bit_length() - 1
            # Nearly all searches find nothing: this spares a call each.
            if self._searches[place](text) and (match := self._cues[place].search(text)):
                yield self._cues[place], match

    def doubts(self, bits: int) -> bool:
        """Whether there is a word of `doubts`."""
        return bits & self._doubt != 0

    def __iter__(self) -> Iterator[Cue]:
        return iter(self._cues)


class CueIndex:
    """Several tables, looked up at once.

    Attributes:
        triggers: What was looked up shows no cue of any table unless it has one of these bits.
        places: Of each table, how far to shift what was looked up to the right, and the mask of what is left.
    """

    def __init__(self, *tables: CueTable) -> None:
        self._bits: dict[str, int] = {}
        self.places: list[tuple[int, int]] = []
        self.triggers = 0
        shift = 0
        for table in tables:
            for word, bits in table.bits.items():
                self._bits[word] = self._bits.get(word, 0) | bits << shift
            self.places.append((shift, (1 << table.size) - 1))
            self.triggers |= table.triggers << shift
            shift += table.size

    def look_up(self, words: Iterable[str]) -> int:
        """The bits of all cues that one of the words may stand for."""
        found = 0
        for bits in filter(None, map(self._bits.get, words)):
            found |= bits
        return found
