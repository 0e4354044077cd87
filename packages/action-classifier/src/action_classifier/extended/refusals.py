"""Declining: what can't, won't or mayn't be done, told apart from facts, cautions and errors on the way."""

from __future__ import annotations

import re

from action_classifier.extended.signs import CueTable, Kind, Sign, cue

_ADVERBS = r"(?:(?:also|currently|really|just|simply|now|still|even|yet|only|either|[a-z]+ly) ){0,3}"
_AGENT = (
    r"(?:i|we|i'm|we're|our \w+(?: \w+)?|the (?:system|policy|policies|rules|tools?|api|functions?|airline|store"
    r"|platform"
    r"|environment|assistant|(?:available|provided|current) \w+)|my \w+(?: \w+)?"
    r"|this (?:system|tool|function|api|platform|environment|assistant|airline)|none of|nothing),? (?:_\S* )?"
)
_SEEING = (
    r"(?!(?: \w+ly)? ?(?:find|see|locate|tell|identify|detect|spot|wait|stress|thank|help but|emphasi[sz]e|recommend"
    r"|imagine"
    r"|say (?:for|with)|guarantee|promise|confirm)\b)"
)
_CANNOT = r"(?:can(?:'t|not| not)|cant)"
_MEANS = (
    r"(?:function(?:ality|s)?|tools?|access|ability|abilities|capabilit(?:y|ies)|permissions?|means|way|method|option"
    r"|command"
    r"|feature|authority|authori[sz]ation|utility|api|rights?)\b"
)
_MEANS_WORDS = (
    "function functionality functions tool tools access ability abilities capability capabilities permission"
    " permissions"
    " means way method option command feature authority authorization authorisation utility api right rights"
)
_NOT = (
    r"(?:(?:is|are|was|were|be)(?: currently| simply| also| still)?(?: not|n't)|(?:do|does|did|has|have|wo"
    r"|would)n't|not)"
)
_ALLOWED = (
    r"(?:able|allowed|permitted|authori[sz]ed|equipped|programmed|designed|capable|in a position|going to"
    r"|qualified|licensed)\b"
)

_REFUSALS = (
    cue(
        "inability",
        Kind.REFUSAL,
        "can't cannot cant won't wont not unable nope",
        rf"{_AGENT}{_ADVERBS}(?:{_CANNOT}|won't|will not|wont|unable to|(?:am|are) unable to){_SEEING}",
        r"(?:i'm|we're) (?:\w+ly )?unable to" + _SEEING,
        rf"(?:i|we)(?:'m|'re)? [^,;]{{1,80}} and (?:also |so |therefore )?(?:{_CANNOT}|won't|will not)" + _SEEING,
        rf"^(?:nope|no|sorry|unfortunately|apologies),? (?:but )?(?:i |we )?(?:{_CANNOT}|won't|unable)\b",
        rf"^(?:{_CANNOT}|unable to|not able to)\b(?! (?:wait|find|see|locate))",
    ),
    cue(
        "not_able",
        Kind.REFUSAL,
        "able allowed permitted authorized authorised equipped programmed designed capable position going qualified"
        " licensed",
        rf"(?:{_AGENT}|i'm |we're )(?:\w+ ){{0,2}}(?:\w+n't|not) (?:currently |yet |really )?(?:be )?{_ALLOWED}",
    ),
    cue(
        "restricted",
        Kind.REFUSAL,
        "restricted prohibited prevented barred forbidden limited decline refuse afraid",
        r"(?:am|i'm|are|we're) (?:restricted|prohibited|prevented|barred|forbidden) from",
        r"(?:i'm|i am|we're|we are) (?:limited|restricted) to\b",
        r"(?:i|we)(?:'ll)? (?:must|have to|need to|will) (?:\w+ly )?(?:decline|refuse)",
        r"i(?:'m| am) afraid .{0,80}(?:\bno\b|not\b|n't\b|unable|cannot|closed|expired|only|impossible|too late|past)",
    ),
    cue(
        "not_done_here",
        Kind.REFUSAL,
        "allow permit support handle offer cover accept ship provide issue serve process share deal engage make match"
        " include",
        rf"{_AGENT}{_ADVERBS}(?:do not|don't|doesn't|does not|no longer) {_ADVERBS}(?:directly )?(?:allow|permit"
        rf"|support|handle|offer"
        r"|cover|accept|ship|provide|issue|serve|process|share|deal|engage|make exceptions|match|include)\b",
        r"(?:do not|don't|doesn't|does not) (?:currently )?(?:allow|permit)\b",
    ),
    cue(
        "we_do_not",
        Kind.REFUSAL,
        "we have",
        r"we (?:do not|don't) (?:\w+ly )?(?!know|see|have|need|want|think|believe|understand|recommend|mind"
        r"|expect|require|\w+ly )"
        r"\w+",
        r"(?:i|we) (?:do not|don't|didn't) have(?:\Z| (?:it|them|that|those|this)\b)",
    ),
    cue(
        "no_means",
        Kind.REFUSAL,
        _MEANS_WORDS,
        r"(?:do not|don't|does not|doesn't|didn't|no longer|not) (?:(?:currently|presently|actually|yet|really"
        r"|directly|also) )?"
        r"(?:have|possess|include|offer|provide|come with|contain|see|find|feature) (?:(?:a|an|any|the|such|or) )?"
        rf"(?:[\w-]+ ){{0,4}}?(?:_\S* )?{_MEANS}",
        r"there (?:isn't|aren't|is not|are not) (?:a|an|any) (?:[\w-]+ ){0,3}?" + _MEANS,
        rf"(?:couldn't|could not|{_CANNOT}|unable to) find (?:a|an|any) (?:\w+ ){{0,2}}?" + _MEANS,
        r"(?:is|there's|have|see|i've|has|with|had|are|offers?|provides?|gives?|exposes?|includes?"
        r"|contains?)(?: currently"
        r"| also| simply)? no (?:[\w-]+ ){0,3}?(?:_\S* )?" + _MEANS,
        r"lack(?:s|ing)? (?:of )?(?:[\w-]+ ){0,4}?" + _MEANS,
        r"without (?:a|an|the|any) (?:\w+ ){0,3}?(?:function|tool|utility|command|capability)\b",
    ),
    cue(
        "no_tool",
        Kind.REFUSAL,
        "function functions tool tools toolset toolbox api apis capabilities commands options command",
        r"(?:none|neither|nothing|not any|no) (?:of |in |among )?(?:the |my |these |those |our )?(?:\w+ ){0,2}?"
        r"(?:functions?|tools?|toolset|toolbox|apis?|capabilities|commands?|options)\b"
        r"(?! (?:is|are|was|were|call|calls)? ?(?:needed|required|necessary))",
    ),
    cue(
        "tool_unavailable",
        Kind.REFUSAL,
        "available provided included supported present accessible implemented part among listed unavailable"
        " unsupported missing"
        " disabled enabled given granted equipped",
        r"(?:function|tool|command|feature|capability|service|option|_)[a-z]{0,6}(?: \w+){0,6}?"
        r" (?:is|are)(?: currently)?(?:(?: not|n't) (?:available|provided|included|supported|present|accessible"
        r"|implemented"
        r"|part of|among|listed)| (?:unavailable|unsupported|missing|disabled))\b",
        r"(?:hasn't|haven't|has not|have not|not|never) been (?:made available|provided|given|granted|enabled"
        r"|equipped)",
    ),
    cue(
        "not_mine",
        Kind.REFUSAL,
        "none something anything one among part within i'm i my things functions tools feature features scope only"
        " handled",
        r"(?:isn't|aren't|is not|are not|not) (?:(?:something|anything|a \w+|one|among|part of|within"
        r"|in)(?: of)?(?: the)? ?)"
        r"{1,3}(?:that )?(?:i|we|my|our|things|functions|tools|features?|capabilit\w+|scope)\b",
        r"i only (?:handle|have|support|deal|cover|work)\b|i (?:can|could) only (?:help|assist|offer|process|handle|do"
        r"|provide)\b|handled by (?:another|a different)\b",
        r"none (?:is|are|of them)\b.{0,20}\b(?:available|provided|offered|given|possible|included)\b",
    ),
    cue(
        "passive_inability",
        Kind.OBSTACLE,
        "be longer only",
        rf"(?:{_CANNOT}|won't|will not|could not|couldn't|may not|must not|not able to|unable to"
        rf"|no longer)(?: \w+ly)? be"
        r"(?: \w+){0,2} ?(?!undone|reversed|recovered|reverted|restored)\w+",
        r"(?:can|may) no longer\b|(?:no|neither|none)\b[^,;]{1,50} can(?: now)? be (?!found)\w+",
        r"(?:can|may|is|are)(?: be)? only (?:be )?(?:possible|available|permitted|allowed|provided|offered|granted"
        r"|issued"
        r"|given|done|made|processed|purchased|added|requested)\b",
        r"only (?:possible|available|permitted|allowed|provided|offered) (?:if|when|for|within|to|before|at|during)\b",
    ),
    cue(
        "not_allowed",
        Kind.REFUSAL,
        "possible permitted allowed permissible supported feasible eligible refundable authorized authorised offered"
        " covered"
        " option doable cancellable cancelable changeable modifiable valid impossible ineligible prohibited"
        " disallowed forbidden"
        " nonrefundable unsupported",
        rf"{_NOT}(?: \w+ly| yet| an?| something){{0,2}} (?:possible|permitted|allowed|permissible|supported|feasible"
        rf"|eligible"
        r"|refundable|authori[sz]ed|offered|covered by|an option|doable|cancell?able|changeable|modifiable"
        r"|valid for)\b",
        r"(?:impossible|ineligible|prohibited|disallowed|forbidden|non-?refundable|unsupported)\b",
    ),
    cue(
        "against_rules",
        Kind.REFUSAL,
        "policy policies rule rules guidelines privacy terms regulations qualify exceptions exception refund refunds"
        " exchange"
        " exchanges cancellation cancellations changes returns return compensation",
        r"(?:against|violat\w+|breach\w*|contrary to|not in line with)(?: \w+){0,3} (?:policy|policies|rules?"
        r"|guidelines"
        r"|privacy|terms|regulations)\b",
        r"(?:(?:do|does)n't|not) qualify\b|no exceptions?\b|no (?:refund|exchange|cancellation|change|return"
        r"|exception|compensation)s?"
        r" (?:is|are|can|will|may)\b",
    ),
    cue(
        "out_of_scope",
        Kind.REFUSAL,
        "insufficient enough outside beyond within exceeds falls denied declined rejected help something regret work",
        r"(?:outside|beyond|not within|exceeds)(?: of)? (?:the |my |our |what )(?:\w+ )?(?:scope|capabilit|abilit"
        r"|authority"
        r"|i\b|i'm|we\b|control|reach|remit|limit)|(?:request|this) (?:is|falls) outside\b",
        r"(?:request|claim|application)\b.{0,40}\b(?:has been|was|is) (?:denied|declined|rejected)\b|access denied\b",
        r"insufficient (?:for|to)\b|not (?:have )?enough (?:information|functions|tools|data) to\b",
        rf"(?:{_CANNOT}|won't) (?:help|work)\b|(?:isn't|is not) something (?:i|we)\b|regret to inform\b",
    ),
    cue(
        "idiom",
        Kind.REFUSAL,
        "table question down blocked hands nothing do let only option",
        r"(?:off the table|out of the question|out of my hands|no can do|not an option|blocked by)\b",
        r"turn (?:this|that|it|you|your request) down\b|nothing (?:else |more |further )?(?:that )?(?:i|we) can do\b",
        rf"{_AGENT}{_ADVERBS}(?:won't|will not|doesn't|does not) let\b",
        r"\Aonly (?:the |an? )?[\w -]{1,40} (?:can|may|is allowed|are allowed)\b",
    ),
    cue(
        "could_not_be_done",
        Kind.OBSTACLE,
        "could couldn't",
        r"could(?: not|n't) be (?:completed|done|processed|renamed|performed|executed|fulfilled)\b",
    ),
)
_FAILURES = (
    cue(
        "failure",
        Kind.FAILURE,
        "couldn't could able unable failed work succeed go complete unsuccessful successful rejected unavailable error",
        r"(?:is|was|were|been) (?:unsuccessful|not successful|rejected)\b|an error (?:occurred|prevented)\b",
        r"(?:is|are|was|were)(?: currently)? unavailable\b",
        r"(?:(?:could not|couldn't|(?:was|were)(?: not|n't) able to)(?! (?:find|locate|see))|(?:was"
        r"|were) unable to(?! (?:find|locate|see))|ha(?:ve|s)(?: not|n't) been able to"
        r"|failed to|did(?: not|n't) (?:work|succeed|go through|complete))\b|(?:has |have )?failed\b",
        r"unable to (?:retrieve|identify|verify|confirm)\b",
    ),
    cue(
        "absence",
        Kind.FAILURE,
        "exist exists found contain available",
        r"(?:does not|doesn't|do not|don't|did not) exist\b|(?:was|were|is|are|be) not found\b|does not contain\b",
        r"no (?:such|directory|file|folder|user|booking|record)\b.{0,40}\b(?:exists?|found)\b",
        r"(?:is|are|was|were) not (?:currently )?available (?:in|for|on|at|from)\b",
    ),
    cue(
        "not_seen",
        Kind.ABSENCE,
        "find locate see",
        rf"(?:{_CANNOT}|couldn't|could not|(?:was|were|is|are|still)? ?(?:unable|not able) to) (?:find|locate|see)\b",
    ),
)
_REGRETS = (
    cue(
        "regret",
        Kind.REFUSAL,
        "unfortunately regrettably sorry apologize apologise apologies sadly regret",
        r"(?:unfortunately|regrettably|(?:sorry|apologi[sz]e|apologies),? but|sadly|i regret)\b.*\b(?:no|not|none|never"
        r"|neither|nothing|only|already|unable|cannot|unavailable|expired|closed|ended|past|too late|final sale"
        r"|outside|without"
        r"|\w+n't)\b",
    ),
)

_NOT_ABILITY = re.compile(
    rf"(?:{_CANNOT}|won't) (?:wait|be undone|be reversed|be recovered|be reverted|help but|stress|be more|thank)\b"
    r"|not only\b|no problem\b|no worries\b|no longer need(?:ed)?\b|not a problem\b|not sure (?:which"
    r"|what|if|whether)\b"
    r"|sorry (?:again )?(?:that )?(?:i|we) (?:couldn't|could not|can't|cannot|wasn't|was not)\b"
    r"|(?:better|more) (?:outcome|help|assistance)\b"
)
_CAUTION = re.compile(
    r"^(?:(?:please|important|also|one|kindly|just|a|and|but)?,? ?(?:note|keep in mind|be aware|remember|heads[- ]up"
    r"|reminder"
    r"|caution|warning|important|bear in mind|fyi)\b|once |after |until |before |when |as long as |unless )"
    r"|please (?:note|be aware|keep in mind)\b|(?:further|additional) (?:changes|modifications|items)\b"
    r"|after (?:this|that|the|an?) \w+(?: \w+)?,"
)
_HYPOTHETICAL = re.compile(
    r"^(?:or |and |but |so )?(?:if|in case|should) (?:you|the|this|that|it|your|any|there|he|she|they)\b"
)
_ABOUT_USER = re.compile(
    r"(?:you|your \w+|he|she|they|users?|customers?|passengers?|members?|it|vehicle|car) (?:still |also )?"
    r"(?:can(?:'t|not| not)|won't|will not|are not able|aren't able|don't have|do not have|does not have|have no"
    r"|may not)\b"
)
_UNTIL = re.compile(r"(?:without|until|unless|yet|because (?:you|the \w+ (?:is|was) (?:not|missing)))\b")
_PAST = ("i couldn't", "i could not", "i was unable", "we were unable", "i wasn't able", "i was not able")

_NEGATIVES = (
    "cannot can't cant not no nor none neither nothing unable won't wont couldn't don't doesn't didn't isn't aren't"
    " wasn't"
    " weren't hasn't haven't impossible unavailable unsupported ineligible unfortunately regrettably sorry apologize"
    " apologise"
    " apologies afraid sadly regret decline declined denied refuse rejected beyond outside lack lacks lacking without"
    " only"
    " restricted prohibited prevented barred forbidden disallowed violate violates violating breach breaches against"
    " contrary"
    " nope failed unsuccessful limited refundable nonrefundable never error missing disabled handled exceeds blocked"
    " off down"
)
_NEGATIONS = frozenset(_NEGATIVES.split())
"""A sentence without any of these words declines nothing."""

REFUSAL_CUES = CueTable((*_REFUSALS, *_FAILURES, *_REGRETS), needs=_NEGATIONS)


def refusal_sign(text: str, cues: int) -> Sign | None:
    """What a sentence declines or reports as failed, or None."""
    for one, match in REFUSAL_CUES.found(text, cues):
        if _NOT_ABILITY.search(text):
            return None
        return Sign(_weight(text, match, one.rule, one.kind), one.rule, match.span())
    return None


def _weight(text: str, match: re.Match[str], rule: str, kind: Kind) -> Kind:
    """What a phrase weighs in its sentence: a condition and a fact about the user decline nothing."""
    if kind in (Kind.FAILURE, Kind.ABSENCE) or rule == "regret":
        return kind
    if _HYPOTHETICAL.match(text) or _CAUTION.search(text):
        return Kind.CAUTION
    if kind is Kind.REFUSAL and _UNTIL.search(text, match.end()):
        return Kind.OBSTACLE
    if rule != "inability" and (about := _ABOUT_USER.search(text)) and about.start() <= match.start() + 2:
        return Kind.CAUTION
    return Kind.FAILURE if text.startswith(_PAST) else kind
