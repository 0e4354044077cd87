"""Reporting finished work, told apart from plans, conditions, and facts about the state of things."""

from __future__ import annotations

import re

from action_classifier.extended.signs import CueTable, Kind, Sign, cue

DEEDS = (
    "created deleted removed moved renamed copied sent posted booked rebooked cancelled canceled placed updated added"
    " saved"
    " submitted scheduled rescheduled completed closed resolved processed refunded issued purchased transferred"
    " uploaded"
    " downloaded applied changed modified enabled disabled activated deactivated installed restarted reset registered"
    " fixed"
    " corrected committed merged deployed opened unlocked locked started stopped filled written made set done tweeted"
    " retweeted shared emailed delivered exchanged returned swapped paid charged bought sold executed finished achieved"
    " archived replaced inserted appended edited formatted converted exported imported generated built published pushed"
    " attached assigned linked connected logged signed authenticated funded deposited withdrawn credited debited"
    " reserved"
    " confirmed extended renewed paused resumed upgraded downgraded adjusted switched turned engaged released"
    " inflated topped"
    " loaded implemented refactored rewritten extracted zipped unzipped compressed sorted cleaned cleared filed"
    " forwarded"
    " notified invited recorded initiated subscribed unsubscribed restored reverted configured redeemed waived rated"
    " ordered"
    " handled performed carried contacted escalated reported swapped re-issued"
)
_DEED = rf"(?:{'|'.join(DEEDS.split())})\b"
_OWN_DEEDS = (
    "blocked unblocked dropped shuffled muted unmuted flagged called texted messaged replied answered validated"
    " compiled tested"
    " ran wrote split combined grouped labelled labeled tagged highlighted translated trimmed pinned unpinned followed"
    " unfollowed reposted joined launched hid withdrew chose rebooted wiped erased organized organised arranged"
    " prepended"
    " wrapped marked rescinded dismissed cloned forked rebased staged squashed patched dialed dialled docked"
    " parked refilled"
    " refueled filed drew sold bought gave shifted merged aligned indexed backed"
)
"""More of what an agent says it did, in the first person; of a thing these would be facts."""
_OWN_DEED = _OWN_DEEDS.replace(" ", "|")
_LOOKING = (
    r"(?!(?:found|checked|looked|located|searched|reviewed|identified|noticed|seen|read|received|got|understood|listed"
    r"|analy[sz]ed|verified|calculated|determined|compared|pulled|gathered|tried|attempted|decided|noted|detected"
    r"|observed"
    r"|provided|included|mentioned|explained|asked|needed|wanted|used|been|had|considered|concluded|discovered|examined"
    r"|inspected|estimated|obtained|fetched|counted|encountered|already|thought|delivered|flown|given|released|hoped"
    r"|assumed"
    r"|intended|planned|drafted|prepared|proposed|outlined|summari[sz]ed|agreed|suggested|recommended|said|told"
    r"|misunderstood|apologi[sz]ed|missed|failed|promised"
    r"|liked|meant"
    r"|learned|referred|believed|expected|realized|realised|worked|helped|attempted|struggled|appreciated|described"
    r"|made"
    r" available)\b)"
)
_IRREGULAR = (
    "sent|set|made|put|written|run|taken|built|left|done|begun|paid|bought|sold|cut|reset|rewritten|redone|shut"
)
_DONE = rf"{_LOOKING}(?:\w+ed|{_IRREGULAR})\b"
_ADVERBS = r"(?:(?:now|also|just|gone ahead and|already|both|then|all|since|[a-z]+ly) ){0,3}"
_DATE = (
    r"(?! (?:on (?:\d|_|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)|by\b|in \d"
    r"|at \d|within|because|due))"
)
_MARK = r"^(?:\d{1,2}[.)] |[-*•–▪✅✔☑️ ]{0,9})"
_NO_VERB = r"(?!(?:[\w'/#-]+ ){0,4}(?:was|were|is|are|be|been|has|have|had|will|can|not|by|gets?|getting) )"

_RESULTS = (
    "uploaded|installed|created|saved|sent|added|removed|deleted|moved|renamed|copied|updated|fixed|merged|posted"
    "|published"
    "|submitted|configured|deployed|attached|imported|exported|downloaded|archived|restored|started|applied"
)
"""Deeds whose result is seen in the thing: *is sent* tells of the deed, as *is booked* needn't."""
_STATE = r"(?:on|off|running|locked|unlocked|closed|released|engaged|applied|started)\b"

_COMPLETIONS = (
    cue("successfully", Kind.COMPLETION, "successfully", rf"successfully(?: {_DONE}|:?\Z)"),
    cue(
        "passive_past",
        Kind.COMPLETION,
        "been",
        rf"(?:has|have|'s|'ve) {_ADVERBS}been {_ADVERBS}(?!(?:delivered|flown|given|used|made available)\b)"
        rf"(?:\w+ed|{_IRREGULAR})\b",
    ),
    cue(
        "took_effect",
        Kind.COMPLETION,
        "went gone identical now checked logged signed booked rebooked registered enrolled subscribed upgraded good",
        r"(?:is|are) now (?!trading|priced|worth|time|\$|available|open|able)\w",
        r"went (?:through|out|live)\b|has gone (?:through|out)\b|are (?:now )?identical\b",
        r"now (?!is\b|was\b|has (?:sufficient|enough|access)|costs|trades|seems|looks|needs|wants|knows|means"
        r"|requires|this\b|as\b)[a-z]+s\b|now (?:reflects?|back in|in (?:the|your|_|\d))\b|you are now\b",
        r"you(?:'re| are)(?: now| all| officially| fully)? (?:checked|logged|signed) in\b|you(?:'re| are)(?: now| all"
        r"| officially"
        r"| fully)? (?:booked|rebooked|registered|enrolled|subscribed|upgraded|good to go)\b",
    ),
    cue("simple_passive", Kind.COMPLETION, "was were", rf"(?:was|were) {_ADVERBS}(?:taken|{_DEED}){_DATE}"),
    cue(
        "first_person_past",
        Kind.COMPLETION,
        "i've we've have",
        rf"(?:i|we)(?:'ve| have) {_ADVERBS}(?!confirmed){_DONE}|(?:i|we)(?:'ve| have) {_ADVERBS}successfully\b",
    ),
    cue(
        "first_person_deed",
        Kind.COMPLETION,
        "i we i've we've",
        rf"(?:i|we) (?:went ahead and )?{_ADVERBS}(?!confirmed)(?:{_DEED}|(?:{_OWN_DEED}|{_IRREGULAR})\b)",
        rf"^(?:i|we)(?:'ve| have)? (?:\w+ed|found|read) .{{1,120}}(?:,| and) (?:then )?{_DEED}",
    ),
    cue(
        "success",
        Kind.COMPLETION,
        "successfully success successful succeeded worked without",
        rf"(?:\w+ed|{_IRREGULAR}|gone through|complete)(?: \w+){{0,6}} successfully\b",
        r"(?:was|were|is|been) (?:a success|successful)\b|(?:one|retry|attempt) (?:succeeded|worked)\b",
        r"(?:ran|completed|finished|worked|went|restarted|started|passed|built|deployed"
        r"|compiled)\b.{0,20}\bwithout (?:any )?"
        r"(?:errors?|issues?|problems?|incidents?|warnings?)\b",
    ),
    cue(
        "done",
        Kind.COMPLETION,
        "done finished complete completed booked sorted fixed posted sent success successful",
        r"^(?:all )?(?:is |are |it's )?(?:all )?(?:done|finished|complete(?=\W*\Z|[,:;!])|completed|booked|sorted|fixed"
        r"|posted|sent)(?:\Z|\W)(?!(?:reading|checking|looking|searching|analy[sz]ing|reviewing|scanning|comparing)\b)",
        r"^success(?:ful)?\Z",
    ),
    cue(
        "all_done",
        Kind.COMPLETION,
        "all set sorted taken wrapped go",
        r"taken care of\b|(?:all|now) (?:set|done|sorted|in order|wrapped up)\b|(?:good|ready) to go\b",
        r"all (?:\w+ ){0,4}(?:tasks?|steps?|changes|items|requests?|actions?|updates?|files?)(?: \w+){0,3} (?:have been"
        r"|has been|are|were|is|now|saved|made|applied|completed?|done|successful)\b"
        r"(?! (?:still|pending|available|required|not|in progress))",
    ),
    cue(
        "task_complete",
        Kind.COMPLETION,
        "complete completed successful finished done",
        r"(?:task|transaction|transfer|order|booking|operation|installation|setup|migration|update|upgrade|payment"
        r"|backup"
        r"|process)s? (?:is |was |now )?(?:complete|completed|successful|finished|done)\b",
    ),
    cue(
        "nothing_left",
        Kind.COMPLETION,
        "further additional everything everything's action actions",
        r"no (?:further|additional|more|other) (?:actions?|steps?|changes?) (?:is|are|was|were|required|needed"
        r"|necessary)\b",
        r"everything(?:'s| is| has been)(?: now| all)? (?:in place|set|done|ready|complete|completed|taken care|updated"
        r"|sorted|in order|up to date)\b",
    ),
    cue(
        "new_state",
        Kind.COMPLETION,
        f"playing running waiting up complete live active on off ready confirmed finished booked place resolved good"
        f" cancelled canceled scheduled set funded placed {DEEDS}",
        r"(?:is|are)(?:"
        rf"(?: (?:now|all|both|fully|officially|already|been)){{1,2}} (?:set|complete|live|active|ready|(?:on"
        rf"|off)(?! \w)"
        rf"|{_DEED})\b| {_DEED} now\b| (?:turned|switched) (?:on|off)\b|(?: now)? (?:up|live)(?:\Z|[:,;])"
        r"|(?: \w+ly)? (?:complete|confirmed|finished|booked|in place|all set|done|resolved|good to go)"
        r"(?! (?:before|by|in|when|if|once|after|on|at)\b)"
        r"|(?<=is) (?:cancelled|canceled|scheduled|set|funded|placed|created|added|saved|sent|updated|removed|posted"
        r"|moved"
        r"|deleted)(?:\Z|[,;:]|(?: for| as| to| and)\b)"
        r"| \w+ed and (?:ready|playing|running|waiting|live|on its way)\b)",
        besides="is are",
    ),
    cue(
        "in_place",
        Kind.COMPLETION,
        _RESULTS.replace("|", " "),
        rf"^(?:all|both|the|your|_+)(?: [\w'/#-]+){{0,8}}? (?:is|are) (?:{_RESULTS})(?:\Z|,|;| (?:to|into|in|with|and"
        rf"|as)\b)",
        besides="is are",
    ),
    cue(
        "has_run",
        Kind.COMPLETION,
        "has have",
        r"(?:has|have) (?:now |all |just |both )?(?:run|finished|completed|restarted|started|stopped|gone through)\b",
    ),
    cue(
        "closed",
        Kind.COMPLETION,
        "closed",
        r"(?:ticket|case|issue|account|order|position|tab|window|file|door|task)s? (?:is|are) closed\b",
    ),
    cue(
        "states",
        Kind.COMPLETION,
        "on off running locked unlocked closed released engaged applied started",
        rf"(?:is|are) {_STATE}(?:,| and)\b.{{0,60}}\b(?:is|are)?(?: \w+)? ?{_STATE}",
        besides="is are",
    ),
    cue(
        "elliptical_past",
        Kind.COMPLETION,
        f"complete successful {DEEDS} {_OWN_DEEDS}",
        rf"{_MARK}(?:(?:successfully|just|also|then|got it,?|great,?|perfect,?|ok(?:ay)?,?"
        rf"|great news,?) ){{0,2}}(?:{_DEED}|(?:{_OWN_DEED})\b)(?:\Z"
        r"|[:,!]| (?:the|a|an|your|all|both|it|this|these|that|them|to|for|as|in|on|seat|\d|_|branch|pull|order|from"
        r"|new|each"
        r"|three|two|into|onto|back|with|via|\w+ (?:reviewers|files|items|songs|tests))\b| _| #| \$)",
        rf"{_MARK}{_NO_VERB}(?:got it, the )?(?:[\w'/-]+ |#?\d+ |\([^)]{{1,40}}\) ){{1,5}}(?:successfully "
        rf"|now )?(?:{_DEED}(?<! set)|set(?= (?:to|for|as)\b)|complete"
        r"|successful)(?:\Z| (?:to|for|from|on|in|as|with|and|by|requested|successfully)\b|[:,;!])",
    ),
)

_NOT_YET = re.compile(
    r"(?:once|after|when|if|until|unless|before|as soon as|whether|will|would|should|must|can|could|may(?! \d)|might"
    r"|to be|going to"
    r"|about to|needs? to|wants? to|in order to|let me|i'll|we'll|let's|to have|please|requires?|cannot|can't|not"
    r"|never|no"
    r"|isn't|hasn't|haven't|wasn't|weren't|didn't|couldn't|don't|since|because"
    r"|(?:that|which) (?:is|are|was|were|has been|have"
    r" been))(?![\w'])(?!, )(?<!\w\wif)(?<!\wwhen)(?<!\wno)(?<!\wcan)(?<!\wmay)"
    r"(?<!\wnot)(?<!\wwill)(?<!\wafter)(?<!\wonce)"
)
_STATUS = re.compile(
    r"(?:status(?! (?:has been|was|is now)\b)|currently|still|already|yet|last|previously|originally|ago|yesterday"
    r"|history|so far|earlier|pending"
    r"|you have (?!been|now|successfully)|by another|by someone)(?!\w)(?<!\wago)(?<!\wlast)(?<!\wstill)"
)
_AFTER = 30
"""How far after a report the words stand that make it an older one."""
_PARTLY = re.compile(r"(?:not (?:all|every\w*|yet|fully|completely)|partially|almost|nearly)\b")
_NOUN_CLAUSE = re.compile(r"\W*(?:what|how|why|where|who|of the|among) ")
_ALREADY = re.compile(r"\b(?:is|are|was|were|has|have|had) already\b")
_BREAK = re.compile(r"[,;:]| (?:and|but|so) ")
_CONDITIONS = ("once ", "after ", "when ", "if ", "until ", "as soon as ", "before ", "unless ", "should ")
_NEGATED = frozenset({"all_done", "nothing_left"})
_OF_STATE = frozenset({"passive_past", "simple_passive", "new_state", "took_effect", "elliptical_past"})

_DOUBTS = (
    "once after when if until unless before soon whether will would should must can could may might to going about"
    " need needs"
    " want wants order let i'll we'll let's please require requires cannot can't not never no isn't hasn't haven't"
    " wasn't weren't"
    " didn't couldn't don't since because that which instead partially failed almost nearly status currently still"
    " already yet"
    " last previously originally ago yesterday history far earlier pending you what how why where who another someone"
)
_DOUBT_WORDS = frozenset(_DOUBTS.split())
"""A report in a sentence without any of these words holds."""

COMPLETION_CUES = CueTable(_COMPLETIONS, doubts=_DOUBT_WORDS)


def completion_sign(text: str, cues: int) -> Sign | None:
    """The report of finished work that a sentence is, or None."""
    doubtful = COMPLETION_CUES.doubts(cues)
    for one, match in COMPLETION_CUES.found(text, cues):
        place: re.Match[str] | None = match
        while place:
            if not doubtful or _holds(text, place, one.rule):
                return Sign(Kind.COMPLETION, one.rule, place.span())
            place = one.search(text, place.end())
    return None


def _holds(text: str, match: re.Match[str], rule: str) -> bool:
    """Whether what a rule found is asserted: not planned, conditional or negated in its clause, no older state."""
    start, end = match.span()
    if text.startswith("instead") or _PARTLY.search(text) or (text.startswith(_CONDITIONS) and "," not in text[:start]):
        return False
    if _NOUN_CLAUSE.match(text) or (rule in _OF_STATE and _ALREADY.search(text, 0, start)):
        return False
    doubt = _NOT_YET.search(text, 0, start if rule in _NEGATED else end)
    status = _STATUS.search(text, 0, end + _AFTER) if rule in _OF_STATE else None
    if not (doubt or status):
        return True
    clause = 0
    for found in _BREAK.finditer(text, 0, start):
        clause = found.end()
    if status and _STATUS.search(text, clause, end + _AFTER):
        return False
    return not (doubt and _NOT_YET.search(text, clause, start if rule in _NEGATED else end))
