"""The turns of phrase of asking, offering and closing, by what they do."""

from __future__ import annotations

from action_classifier.extended.signs import CueTable, Kind, cue

_ADVERBS = r"(?:(?:also|first|just|kindly|please|now|then|[a-z]+ly) ){0,3}"
_ASKABLE = (
    r"(?:provide|specify|confirm|tell|share|give|supply|clarify|indicate|enter|reply|respond|answer|choose|select|pick"
    r"|verify|identify|describe|state|approve|authori[sz]e|advise|type|say|name|attach|upload|input|list|decide)\b"
)
_ASKABLE_WORDS = (
    "provide specify confirm tell share give supply clarify indicate enter reply respond answer choose select pick"
    " verify identify describe state approve authorize authorise advise type say name attach upload input list decide"
)
_HELP_WITH = r"(?: you)?(?: out)?(?: with (?:any|some|that|it)|\W*\Z| today| further|.{0,12}\belse\b)"

DEMANDS = (
    cue(
        "please_tell",
        Kind.DEMAND,
        "please kindly",
        rf"(?:please|kindly) {_ADVERBS}(?:help me (?:by|understand)|(?:review|check|look)[^,;]{{0,60}}and )?"
        rf"(?!verify (?:that|all|the (?:details|entries|results?|content))\b){_ASKABLE}",
        rf"(?:please|kindly) {_ADVERBS}(?:send|get|pass|email|message) (?:me|us|over|it|them|the|your)\b",
        r"(?:please|kindly) (?:log|sign) ?in\b",
    ),
    cue(
        "could_you",
        Kind.DEMAND,
        "could can would will",
        rf"(?:could|can|would|will) you {_ADVERBS}(?:{_ASKABLE}"
        r"|let (?:me|us) know|send|check|help me|double-check|elaborate|explain what)",
        besides="you",
    ),
    cue(
        "imperative",
        Kind.DEMAND,
        _ASKABLE_WORDS,
        r"(?:^|\A(?:to|before|in order|if|for|so that)\b[^,]{1,80}, |and |or |then )(?:just |then |simply |also )?"
        rf"{_ASKABLE}(?= (?:me\b|us\b|your|the|a\b|an\b|which|what|whether|if|one|both|all|either|how|when|where|who"
        rf"|_|yes"
        r"|no\b|with|by|to me|that|these|those|option|and|between))",
    ),
    cue("send_me", Kind.DEMAND, "just", r"just (?:\w+ )?(?:send|give|tell|text|email) (?:me|us)\b"),
    cue(
        "i_need",
        Kind.DEMAND,
        "need needs require missing",
        rf"(?:i|we)(?:'ll|'d| will| would|) {_ADVERBS}(?:still |also |only )?(?:need|require) (?:to (?:know|ask"
        rf"|have your"
        r"|get your|have the|confirm(?! (?:that|whether) the)|verify (?:your|you|who)|authenticate you|identify you"
        r"|clarify|identify which)|you to|your|a (?:few|bit|little)|some|more|additional|further|both|one more|two"
        r"|three"
        r"|the (?!following rules)|an?\b|at least|either|one of|it\b|that\b|this\b)",
        r"(?:just|only|still) need (?:your|the|an?)\b",
        r"(?:thing|information|detail|piece)s? (?:that's |still |left )?(?:missing|i (?:still )?need)\b.{0,10}\b(?:is"
        r"|are)\b",
        r"needs? your (?:confirmation|approval|permission|consent|go-ahead|input|decision)\b",
    ),
    cue(
        "i_would_like",
        Kind.DEMAND,
        "like love want",
        rf"(?:i|we)(?:'d| would) {_ADVERBS}(?:like|want|love) (?:you to|to (?:know|confirm|clarify|verify|ask"
        r"|double-check|make sure))\b",
    ),
    cue(
        "i_must_know",
        Kind.DEMAND,
        "know ask confirm sure double clarify check",
        r"(?:i|we) (?:\w+ly |still |just |first |also )?(?:have|need|must|want) (?:to )?(?:know|ask|confirm with"
        r"|make sure"
        r"|be sure|double-check|check with you|clarify)\b",
    ),
    cue(
        "you_must",
        Kind.DEMAND,
        "provide specify confirm give tell supply choose select share",
        r"you(?:'ll)? (?:(?:will |would )?(?:need|have) to|must|'d need to) (?:first )?(?:provide|specify|confirm"
        r"|give|tell"
        r"|supply|choose|select|share)\b",
    ),
    cue(
        "if_you_could",
        Kind.DEMAND,
        "provide specify confirm tell share give send supply clarify let",
        r"if you (?:could|can|would)(?: \w+){0,2} (?:provide|specify|confirm|tell|share|give|send|supply|clarify"
        r"|let me know)\b",
    ),
    cue("awaiting", Kind.DEMAND, "waiting awaiting await wait", r"(?:waiting for|awaiting|await|wait for) your\b"),
    cue(
        "your_word",
        Kind.DEMAND,
        "confirmation approval permission consent response reply input choice ahead",
        r"your (?:confirmation|approval|permission|consent|go-ahead|response|reply|input|choice)"
        r"(?:(?=.{0,40}\b(?:before|to proceed|needed|required)\b|\Z)|(?<=i have your permission)"
        r"|(?<=i have your approval))",
    ),
    cue("reply_with", Kind.DEMAND, "reply respond answer n", r"(?:reply|respond|answer) (?:with|yes|no|_)|y/n\b"),
    cue(
        "without_it",
        Kind.DEMAND,
        "without",
        r"without (?:your|the|its|an?|knowing|that|this|at least)\b.{0,30}\b(?:id|number|name|address|code|dates?"
        r"|password"
        r"|username|token|price|amount|details?|e-?mail|login|(?<=without your )\w+|(?<=knowing )\w+)\b",
        r"without (?:it|that|this|those|them|these)\b.{0,30}(?:can't|cannot|unable|won't)\b",
    ),
    cue(
        "missing_one",
        Kind.DEMAND,
        "missing",
        r"(?:i'm|i am|we're|we are)(?: still)? missing (?:the|your|an?|some|one)\b",
    ),
    cue("as_soon_as", Kind.DEMAND, "soon", r"as soon as you (?:tell|give|provide|send|confirm|share|let)\b"),
)

UNMARKED = (
    cue(
        "unmarked_question",
        Kind.DEMAND,
        "what what's which who who's where where's when when's how how's",
        r"^(?:and |so |okay,? |ok,? |also,? )?(?:what|which|who|where|when|how)\b.{0,60}\b(?:do|would|did|should|are"
        r"|is|will)"
        r" (?:you|your)\b(?! (?:can|will|should|need))",
        r"^(?:and |so |okay,? |ok,? |also,? )?(?:what|which|who|where|when)(?:'s| is| are) your\b",
    ),
)
BARE = (
    cue(
        "bare_question",
        Kind.OFFER,
        "which what what's whose who where when how",
        r"\A(?:which|what|what's|whose|who|where|when|how (?:many|much|long))\b[^,;:]{1,60}\Z",
    ),
)
"""A question without its mark, where the text says nothing else."""
COURTESIES = (
    cue(
        "anything_else",
        Kind.COURTESY,
        "anything something anyone else other",
        r"(?:any|some)thing (?:else|more|further|specific|in particular|you(?:'d| would)|i can|we can|that i can)\b",
        r"(?:what|how|where|who|anyone|somewhere) else\b|other (?:questions?|requests?|ways?)\b",
    ),
    cue(
        "how_can_i_help",
        Kind.COURTESY,
        "help assist do support serve",
        r"(?:how|what) (?:can|may|could|might|shall|should) (?:i|we)\b.{0,20}\b(?:help|assist|do|support|serve)\b",
        rf"(?:can|may|could|might) (?:i|we)\b.{{0,12}}\b(?:help|assist){_HELP_WITH}",
        besides="i we",
    ),
    cue(
        "more_help",
        Kind.COURTESY,
        "help assistance support question questions concern concerns adjustment adjustments clarification"
        " clarifications"
        " changes information details request requests",
        r"(?:need|want|have|require|got|wish)\b.{0,12}\b(?:any|more|further|additional|other|else)\b.{0,12}"
        r"(?:help|assistance|support|questions?|concerns?|adjustments?|clarifications?|changes|information|details"
        r"|requests?)\b",
        besides="any more further additional other else",
    ),
    cue(
        "small_talk",
        Kind.COURTESY,
        "mind brings sense good glad happy does what",
        r"on your mind\b|brings you\b|makes? sense\Z|sounds? good\Z",
        r"does (?:this|that|it) (?:help|answer|clarify|work)|(?:is|was) (?:this|that) what you\b",
        r"glad (?:i|we|that i|to) (?:could|can|was|have|help)|happy (?:i|we) could\b",
    ),
)

_OFFER = (
    r"(?:would|do|did|will) you (?:also |still )?(?:like|want|prefer|need|wish)(?: for)? (?:me|us) to\b",
    (
        r"(?:would|do|will) you (?:also )?(?:like|want|care|need|be interested)(?: to (?!proceed|go ahead|continue"
        r"|confirm|go with|\()| (?:in|for|some|more|further|additional|details|any|a|an|another|help)\b)"
    ),
    (
        r"is there (?:a|any|another|some) (?:specific|particular|other|additional|different)\b.{0,40}"
        r"\b(?:you(?:'d| would)|i can|for you)"
    ),
    r"^(?:want|need|looking|curious|interested)\b",
    r"^(?:also |so |and |then )?(?:like|want|need) me to\b",
    r"(?:should|shall) (?:i|we)\b|(?:can|may|could|might) i (?!have|get|know|ask|see|please|confirm|take|verify)",
    r"how would you like to (?:proceed|continue)\b|what(?:'s| is)? next\Z",
    r"what (?:would|do) you (?:like|want)(?: me)? to do(?: next| now)?\Z",
)
OFFER_CUES = cue(
    "offer_question",
    Kind.OFFER,
    "is looking curious interested ready would do did will like want need should shall can may could might next",
    *_OFFER,
)
OPENINGS = ("would you", "do you", "did you", "want me", "like me", "should ", "shall ", "can i", "how would", "what ")

REQUESTS = (
    cue(
        "please",
        Kind.REQUEST,
        "please",
        r"please (?!note|see |find|be |bear|remember|keep|feel|don't|do not|wait|hold|stand|allow|accept|rest|enjoy"
        r"|let "
        r"|take care|excuse|forgive|understand|visit|contact|refer|reach|call|consult|come back|drop|know\b|look out"
        r"|expect|give me a|have a)[a-z]",
    ),
    cue(
        "instruction",
        Kind.REQUEST,
        "next now first then also ok okay alright",
        r"^(?:next|now|first|then|also|ok|okay|alright),? (?:please )?(?:open|go|tap|toggle|turn|check|press|restart"
        r"|try"
        r"|look|navigate|set|enable|disable|run|switch|select|insert|remove)\b",
    ),
    cue(
        "missing",
        Kind.REQUEST,
        "try required needed missing",
        r"(?:^|, |please |or )(?:then |just )?try (?:again|entering|another)\b",
        r"\A(?!.*\b(?:if|no|further|additional|when|unless|any|which|that)\b).*\b(?:is|are) (?:still )?(?:required"
        r"|needed"
        r"|missing)\b"
        r"(?! (?:on your part|at this time|from you))",
    ),
    cue(
        "once_you_provide",
        Kind.REQUEST,
        "provide share send give specify confirm tell supply upload clarify reply",
        r"(?:if|once|when|unless|until|after) you (?:can )?(?:provide|share|send|give|specify|confirm|tell|supply"
        r"|upload|clarify"
        r"|reply)\b",
    ),
    cue(
        "and_i_will",
        Kind.REQUEST,
        "i'll will can",
        r"\A(?:just |then |so )?(?:log|sign|open|go|try|connect|restart|enter|pick|fill|complete|unlock|attach|set|add"
        r"|turn"
        r"|send|give|upload|call|say|drop|paste|type|run)\b[^,;]{1,60}\b(?:and|then) i(?:'ll| will| can)\b",
    ),
    cue(
        "noun_please",
        Kind.REQUEST,
        "please",
        r"\A(?!.*\b(?:moment|second|minute|wait|patience|thank|no|yes)\b)(?:[\w'-]+ ){1,5}[\w'-]+, please\Z",
    ),
    cue(
        "which_you_like",
        Kind.REQUEST,
        "which what whether",
        r"(?:which|what|whether) (?:one )?(?:would )?you(?:'d| would)? (?:like|prefer|want|mean|choose)\b",
    ),
)
ADVICE = (
    cue(
        "advice",
        Kind.ADVICE,
        "ensure sure verify check double try consider log sign create use you",
        r"\A(?:please |to (?:proceed|continue|fix this|resolve this),? )?(?:ensure|make sure|verify|check"
        r"|double-check|try|consider|log in"
        r"|sign in|create|use) (?:the|that|your|a|an|if|whether|using|running|again|to|with|it|this|first|log"
        r"|_)",
        r"you (?:(?:will |may |might )?(?:need|have|want) to|must|should|can|could"
        r"|would need to) (?:first )?(?:log in|sign in"
        r"|authenticate|create|specify|enable|lock|release|press|fix|correct|verify|make sure|ensure|check|try|close"
        r"|add|register)\b",
    ),
)
PLANS = (
    cue(
        "plan",
        Kind.PLAN,
        "let's let i'll will should",
        r"\A(?:so|then|now|therefore|instead|first|next)?,? ?(?:let's|let me|i'll|i will|we should)\b(?! (?:be|have"
        r"|need|not)\b)",
    ),
)
WILLINGNESS = (
    cue(
        "offer",
        Kind.COURTESY,
        "help assist feel hesitate service",
        r"(?:i|we)(?: can|'d be| am| could|'m)(?: also| still| always| gladly| happy| glad){0,2}(?: to)?"
        r"(?: also| still)? (?:help|assist)\b",
        r"(?:feel free to|don't hesitate|do not hesitate|happy to help|glad to help|at your service)\b",
    ),
)

_LET_ME_KNOW = r"let (?:me|us) know,? *(?:below|here|first|please)?[,:]?(?P<tail>.*)"
LETTING = (cue("let_me_know", Kind.DEMAND, "let", _LET_ME_KNOW),)

QUESTION_CUES = CueTable((*DEMANDS, *COURTESIES, OFFER_CUES))
REQUEST_CUES = CueTable((*LETTING, *DEMANDS, *COURTESIES, *UNMARKED, *REQUESTS, *ADVICE, *PLANS, *WILLINGNESS, *BARE))
