"""What a sentence does, and the cues that show it."""

from __future__ import annotations

import re
from enum import IntEnum, auto
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_APOSTROPHE = re.compile(r"(?<=n)'(?=t)|(?<=\bi)'(?=m\b|ve\b)")
"""Those whose words stay words of their own without them."""


class Kind(IntEnum):
    """What a sentence does, as far as its words show it."""

    __hash__ = int.__hash__  # that of Enum is written in Python, and kinds are looked up often

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
        besides: Where there are any, more words of which it holds one.
        pattern: The phrase, in lower case; it begins where a word does.
        anchored: Whether it stands nowhere but at the start of a sentence.
    """

    rule: str
    kind: Kind
    words: frozenset[str]
    besides: frozenset[str]
    pattern: re.Pattern[str]
    anchored: bool

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The first place from `start` on where the phrase stands."""
        # A word boundary at the head of a pattern would keep the search engine from looking for first letters.
        match = self.pattern.search(text, start)
        while match and (first := match.start()) and text[first].isalnum() and text[first - 1].isalnum():
            match = self.pattern.search(text, first + 1)
        return match


def cue(rule: str, kind: Kind, words: str, *patterns: str, besides: str = "") -> Cue:
    """A cue from words, separated by spaces, and alternative patterns; ``don't`` stands for ``dont`` too."""
    pattern = _APOSTROPHE.sub("'?", "|".join(patterns))
    anchored = all(one.startswith(("^", r"\A")) for one in patterns)
    return Cue(rule, kind, spellings(words), frozenset(besides.split()), re.compile(pattern), anchored)


def spellings(words: str) -> frozenset[str]:
    """Words, separated by spaces, and those of them that are written without their apostrophe too."""
    return frozenset(words.split()) | frozenset(_APOSTROPHE.sub("", words).split())


class CueTable:
    """Cues in order of preference, found by the words of a sentence: most sentences hold few of them.

    A set of cues is an int with one bit a cue. The two bits above them say whether a word of `needs` is there, without
    which no cue counts, and whether one of `doubts` is, with which a cue has to be looked at more closely. Those above
    say the same of the words that some cues need besides.

    Attributes:
        bits: The bits of each word.
        size: How many bits there are.
        triggers: A sentence none of whose words has one of these bits shows none of the cues.
    """

    def __init__(
        self, cues: Iterable[Cue], needs: frozenset[str] = frozenset(), doubts: frozenset[str] = frozenset()
    ) -> None:
        self._cues = tuple(cues)
        self._searches = tuple(one.pattern.match if one.anchored else one.pattern.search for one in self._cues)
        self._all = (1 << len(self._cues)) - 1
        need, self._doubt = 1 << len(self._cues), 2 << len(self._cues)
        groups = dict.fromkeys(one.besides for one in self._cues if one.besides)
        self._besides = tuple(
            (self._doubt << place, sum(1 << at for at, one in enumerate(self._cues) if one.besides == words))
            for place, words in enumerate(groups, 1)
        )
        self.size = len(self._cues) + 2 + len(groups)
        self.triggers = need if needs else self._all
        self.bits: dict[str, int] = {}
        extra = zip(groups, (bit for bit, _ in self._besides), strict=True)
        for words, bit in ((needs, need), (doubts, self._doubt), *extra):
            for word in words:
                self.bits[word] = self.bits.get(word, 0) | bit
        for place, one in enumerate(self._cues):
            for word in one.words:
                self.bits[word] = self.bits.get(word, 0) | 1 << place

    def found(self, text: str, bits: int) -> Iterator[tuple[Cue, re.Match[str]]]:
        """The cues of a set that a sentence shows, in the order of the table, each with its first place."""
        for bit, cues in self._besides:
            if not bits & bit:
                bits &= ~cues
        bits &= self._all
        while bits:
            lowest = bits & -bits
            bits ^= lowest
            place = lowest.bit_length() - 1
            match = self._searches[place](text)
            # Nearly all searches find nothing, or the head of a word: this spares a call each.
            if match and (first := match.start()) and text[first - 1].isalnum() and text[first].isalnum():
                match = self._cues[place].search(text, first + 1)
            if match:
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
        found, all_bits = 0, self._bits
        for word in words:
            if word in all_bits:
                found |= all_bits[word]
        return found
