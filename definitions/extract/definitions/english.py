"""The words of English."""

from __future__ import annotations

from definitions.extract.definitions.language import Language

ENGLISH = Language(
    bare_means=r"means?\b|shall mean\b|has the (?:same )?meaning\b|refers to\b",
    means=r"(?:shall |will |must |does |do |is to |are to )?(?:be (?:taken|construed|read"
    r"|understood) (?:as meaning|to mean) "
    r"|(?:only |also )?means? (?:and includes?|only|either)\b|(?:only |also )?means?\b|mean and include\b)"
    r"|(?:shall |will )?(?:refers?|relates?) (?:only |solely |collectively |also )?to\b"
    r"|(?:is|are|shall be|is hereby|are hereby) defined (?:as|to mean)\b|signif(?:y|ies)\b|denotes?\b",
    includes=r"(?:shall |also |does |will )?(?:includes?|comprises?)\b|(?:is|are) (?:taken"
    r"|deemed) to (?:be|include)\b",
    given=r"(?:shall |will |is to |are to )?(?:have|has|bears?|carr(?:y|ies)|ha(?:s|ve) respectively) "
    r"(?:the |its |their |an? )?(?:same |respective |corresponding )*(?:meanings?|definitions?)\b"
    r"|(?:is|are|shall be|has been) (?:defined|described) (?:in|by|under|at|on)\b"
    r"|(?:is|are) (?:to|shall) be (?:construed|read|interpreted) (?:in accordance with|by reference to"
    r"|with reference to|as)\b"
    r"|(?:shall|must) be (?:construed|read|interpreted) (?:in accordance with|by reference to|accordingly"
    r"|as)\b",
    states=r"(?:is|are|was) (?:not )?(?:an?|the|any|one|information|either|those|defined|assigned|used to"
    r"|that which)\b"
    r"|consists? of\b|acts? as\b|(?:is|are) (?:simply |just |typically |usually )?(?:an?|the)\b"
    r"|describes\b|(?:is|are) used to (?:describe|denote|refer|mean)\b|differs from\b|stands for\b",
    called=r"called|termed|referred to(?: collectively| herein| hereinafter| hereafter)* as|known as"
    r"|a\.k\.a\.,?|aka"
    r"|abbreviated (?:as|to)|denoted (?:as|by)|defined as|designated(?: as)?|notion of|concept of"
    r"|in (?:its|their) meanings? the terms?|described as|dubbed",
    term_words=r"the (?:following )?(?:terms?|words?|expressions?|phrases?|definitions? of"
    r"|references? to)|(?:an? )?references? to"
    r"|(?:the )?(?:capitali[sz]ed )?terms?|expressions?|words?",
    articles=r"the|an?|any|each|every",
    joins=r"and|or|and/or|as well as|nor|respectively",
    qualifiers=r"in relation to|with respect to|with reference to|in reference to|in respect of"
    r"|in the case of|as applied to"
    r"|when used|as used|used|where used|unless|except|other than|for (?:the )?purposes?"
    r"|in the context of|in connection with"
    r"|as regards|in contrast|however|on the other hand|also|of an?|of the|of|for|an?|in|under|whether"
    r"|wherever|whenever"
    r"|when|where|or any|if",
    bracket=r"the|an?|and|or|each|together|collectively|individually|separately|jointly|severally"
    r"|hereinafter|hereafter"
    r"|herein|henceforth|below|thereafter|referred|refer|to|as|called|being|such|also|known|in|this"
    r"|agreement|contract|deed"
    r"|individual|both|all|either|any|simply|sometimes|collectively,|for|short|abbreviated|defined"
    r"|designated|its|with|of|them"
    r"|one|more|case|context|requires|may|be|is|are|we|our|us|you|your|respectively|a|party|parties"
    r"|acronym|short:|aka|a\.k\.a\."
    r"|commonly|generally|following|capacity|document|act|regulation|term|terms|affiliates|successors"
    r"|assigns|permitted|every",
    lead_in=r"means|mean|has the (?:following )?meaning|following (?:definitions|terms|expressions|words"
    r"|meanings)"
    r"|the terms?(?=\s*[:—–-])|definitions (?:shall )?apply|unless the context|unless the contrary",
    scope=r"for (?:the )?(?:sole )?purposes? of|in|as used in|when used in|used in|throughout|within"
    r"|under|of|to|for"
    r"|with respect to|applicable to|with reference to",
    this=r"this|these|the present|that",
    document=r"act|law|statute|regulations?|directive|decision|agreement|contract|deed|convention|treaty"
    r"|protocol|document"
    r"|standard|specification|code|ordinance|order|rules|policy|policies|terms|instrument|bylaws?"
    r"|by-laws?|charter|memo|rfc|lease"
    r"|constitution|guidelines?|guidance|recommendation|report|notice|prospectus|plan|manual|rulebook"
    r"|enactment|exemption",
    titles=r"(?:(?:list|table|index) of )?(?:(?:general|key|common|other|certain|additional|basic|main"
    r"|legal|specific|rules of) )?"
    r"(?:terms|key terms|construction|dictionary|nomenclature|vocabulary|meaning of .{2,60}"
    r"|(?:definitions?|interpretations?|glossary|defined terms|terms and definitions|terminology|acronyms"
    r"|abbreviations"
    r"|terms (?:used|defined)|words and expressions|construction of terms)"
    r"(?:(?: and|,| of| for| in| used| to| applicable|:|;| &| \(|—| –| -|/).{0,80})?)",
    excludes=r"(?:does|do|shall|will) not (?:include|extend to|apply to|mean|refer to|comprise|cover)"
    r"|excludes?\b|excluding"
    r"|other than|but not\b|is not an?\b|except\b|with the exception of",
    no_term=r"this|that|these|those|which|(?:the )?following|it|they|he|she|we|such|by|no|what|who|if"
    r"|when|where|for|in|to|as|and|or"
    r"|but|unless|there|here|so|nothing|neither|either|whichever|means|with|from|on|at|under|upon"
    r"|an? reference|references?|(?:the )?definitions?"
    r"|thus|therefore|however|also|only|its|their|his|her|our|you|your|see|is|are|not|doing|using"
    r"|whatever|whose|of|then"
    r"|can|could|should|would|may|might|let|because|since|while|although|whereas|having|being|meanwhile"
    r"|collectively|because"
    r"|(?:sub)?(?:section|paragraph|article|clause|part|rule|chapter|appendix|schedule|item|table"
    r"|figure)s? (?:\d|\(|[A-Z]\b)",
    adjectives=r"electronic|technical|appropriate|reasonable|adequate|alternative|same|similar|different"
    r"|various|automated"
    r"|automatic|unfair|effective|necessary|lawful|proper|suitable|manual|oral|mechanical|physical"
    r"|diplomatic|peaceful|private"
    r"|administrative|optical|digital|multiple|independent|practical|available|best|only|normal|usual"
    r"|simple|cryptographic"
    r"|secure|audiovisual|computerized|such|other|own|indirect|direct|fraudulent|military|human",
    not_alone=r"financial|legal|one|two|three|any|all|some|both|every|(?:the )?(?:terms?|word|expression"
    r"|definition)|primary"
    r"|standard|latter|former",
    not_after=r"of|by|for|through|are|is|was|were|shall|may|must|will|can|could|used|available|which"
    r"|whereby|test|tested"
    r"|other|and|or|at|in|that are|referred|specified|described|listed|employed|under|with|has|have"
    r"|necessary|as",
)
