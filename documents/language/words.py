"""The little words that every text of a language is full of. A language is added here, not in code.

They are written small, as they stand between blanks, hyphens and apostrophes: “l’article” is two words. What
several languages share counts less, so none has to be left out.
"""

from __future__ import annotations

FUNCTION_WORDS: dict[str, str] = {
    "afrikaans": "die van en in is nie te wat met vir het dat om op word deur hierdie ʼn n sal moet kan"
    " ook aan of as by tot enige ander kragtens ingevolge sy hulle ons was daar",
    "albanian": "dhe e të i në një për me nga që është së nuk janë ose ky kjo si do cilat cili cila sipas"
    " tij saj pa mund kur duke neni ligji ka kanë edhe nëse tyre prej",
    "arabic": "في من على إلى أن عن هذا هذه التي الذي أو لا ما مع كل بين بعد قبل ذلك تلك كان يكون إذا لم قد"
    " هو هي وفقا المادة يجب يجوز أي غير عند و ولا وفي ومن",
    "azerbaijani": "və bu bir ilə üçün olan edir edilir üzrə hər o da də ki olunur kimi həmin sonra görə"
    " isə onun bütün ya hüquq əsasında tərəfindən haqqında maddə müəyyən olaraq daha lakin",
    "basque": "eta da ez du dira bat edo ere baina dute zuen izan dela den hau horren haren egin behar"
    " beste guztiak bere arabera baten bidez dituen ditu duten zen lege artikulua dagoen arte",
    "belarusian": "і у ў на з не што да за па як гэта для ад аб яго або калі іх пры быць можа які якія"
    " якой артыкул ці але быў таксама так яе гэтага",
    "bulgarian": "и на в за от се с по не да е са че до със при или като това които който която тази този"
    " те му ще след както във чл ал бъде могат може само един ако",
    "catalan": "de la i el les a que en els per del una un no amb d l és es al s són o dels més als han"
    " aquest aquesta com pel pels ha ser seva seu article llei haver hi si també sense perquè ni",
    "czech": "a v se na o je že s z do podle nebo za k jako jeho pro by však ve při které který která této"
    " tohoto být jsou není má může pokud odst písm zákona též nejsou byl jej jejich",
    "danish": "og i af til at en er det for den som med på de der skal ikke et kan eller om fra ved har"
    " efter denne stk blev være hvis dette også må vil hvor når samt sig deres loven bliver nogen noget hvad"
    " mellem uden mod gælder inden ingen",
    "dutch": "de van het een en in dat op te zijn met voor is die niet aan door er om ook bij tot uit"
    " worden wordt of als lid deze dit geen heeft indien bedoeld naar zich kan zij werd wel onder",
    "english": "the of and to in a is that for be by or as on with not this shall any are it an at from"
    " which such may under if has other no been their its was who must these will have were all",
    "estonian": "ja on ei et see või mis kui ning oma ka selle kes käesoleva seaduse lõike võib mille tema"
    " olema ole kohta eest alusel poolt järgi üle pärast enne seda sellest peab nende siis kuid",
    "finnish": "ja on ei että se tai joka sen jos ole ovat sekä kuin myös tämän tämä mukaan jonka voidaan"
    " voi oli jota siitä lain pykälän momentissa mitä ne niiden hän olla kun sitä mutta jotka tässä tätä"
    " laissa",
    "french": "de la le les et des du à en l d un une que dans par pour au qui est sur ou aux ce sont il"
    " être ne pas avec plus cette ces se son sa ses leur peut doit s y si elle n qu",
    "german": "der die und in den des zu von das dem mit sich auf ist für nicht im ein eine oder nach an"
    " als bei durch es werden wird aus einer einem eines zur zum sind kann hat auch dieser diese wenn nur",
    "hebrew": "של את על לא הוא או כי זה אם היא גם עם כל אשר לפי ידי בין אל אין סעיף יש זו היה חוק כן רק מי"
    " להיות לו לה",
    "hindi": "के में है की और से का को पर या यह कि नहीं इस एक ने लिए हो किया जो तथा किसी द्वारा अपने था भी"
    " हैं धारा अधीन",
    "hungarian": "a az és hogy nem egy is vagy meg ha szerint által ezt azt kell mint csak ez amely"
    " amelyek valamint e illetve után lehet között esetén volt aki pedig számára való során alapján van ki",
    "icelandic": "og í að er um til af sem á við með fyrir það ekki en skal eða hefur þess hann frá eru"
    " því þá þeim lögum laga gr mgr skulu þeirra honum verið hún þar þegar eftir vera ef",
    "indonesian": "yang dan di dengan untuk dari dalam ini pada tidak itu atau oleh sebagai dapat adalah"
    " akan kepada tersebut dimaksud ayat pasal huruf undang secara bagi telah harus setiap lain serta ke juga"
    " ada hendaklah boleh mana bahawa",
    "irish": "an na agus a ar i ag go is le do sa leis nó faoi seo sin ach nach aon mar de dá bhfuil bhí"
    " tá siad sé um gach ina nuair iad idir chun tar alt acht ní gur raibh ó",
    "italian": "di e il la che in a per del della le i un non è con una dei da al si delle sono nel alla"
    " ai gli lo o dell all come più anche dalla nella ha comma se su l d ad essere può cui",
    "latin": "et in est non ad ut cum ex de qui quae quod si sed ab per esse sunt aut vel nec hoc autem"
    " enim eius atque quam etiam pro ne nisi id eum quo haec",
    "latvian": "un ir ar par no kas vai lai uz šā likuma ja ka nav šo tā pēc kā tiek kuru pie šis var līdz"
    " kuras panta daļas būt gada viņa tas bez to šajā noteikumu savu šī jo",
    "lithuanian": "ir kad į su iš yra ar ne už pagal dėl kai jo šio straipsnio dalies arba turi gali kurie"
    " kuris kuri jos nuo buvo bei būti apie taip tik šis ši jeigu po tai prie bet",
    "macedonian": "и на во за од се со да не е што ќе по до или при кои која ова овој оваа како може ги ја"
    " го член став закон законот биде бил тоа ако само",
    "maltese": "il li ta f u għal ma jew dan din fil bl minn mill dwar tal fuq lil hija huwa kull kif meta"
    " ikun jista għandu għandha hu mhux skont id l n b dik dawk mal bil artikolu",
    "marathi": "आणि आहे च्या या व तो हे ते मध्ये किंवा नाही असेल करण्यात त्या यांनी असा होते केले एक हा ही म्हणून झाले साठी",
    "nepali": "र को मा छ गर्न भएको यो हुने पनि तथा वा लागि गर्ने छैन हुन्छ भने गरेको सो हो दफा एक सक्ने"
    " बमोजिम गरी अनुसार उपदफा छन्",
    "norwegian": "og i av til å en er det for den som med på de skal ikke et kan eller om fra ved har"
    " etter denne være hvis dette også må vil når samt seg loven kapittel ikkje ein eit ei dei frå vere han"
    " blir noen noe hva mellom uten mot gjelder innen ingen departementet",
    "persian": "در به از که این را است با و برای آن های می تا هر یا شود باید بر خود ماده قانون بود کند یک"
    " شده کرد نیز باشد",
    "polish": "w i z na do o się nie jest oraz lub za przez dla od po art ust że a przy którym której"
    " który są jeżeli być może pkt ma jak tym tego jego ich mowa których tej także albo to ze",
    "portuguese": "de a o e que do da em os as no na para um uma por com não dos das ao se é à pelo pela"
    " ou como mais nos nas sua seu são foi ser esta este lei artigo quando sem pelos pelas aos onde desta"
    " deste",
    "romanian": "de și în la a cu din pe pentru care o nu prin este sau al ale un ce se sunt fi mai dintre"
    " după până către art alin această acest lor unei unui sa fost cele dacă are asupra şi",
    "russian": "и в на с не что по для от к о при или за из его как если а это их также до быть который"
    " которые которая он она они но настоящего статьи федерального может со во том так иных лицо",
    "serbian": "i u na je se za da o od su sa koji koja koje ili ne iz po kao do ovog stava članka člana"
    " bi ako može biti te nije toga dana zakona zakonom svoje njegov kojim bez što pri и у на је се за да о"
    " од су са који која које или не из по као до овог става члана ако може бити није закона што при",
    "slovak": "a v sa na o je že s z do podľa alebo za k ako jeho pre by však vo pri ktoré ktorý ktorá"
    " tejto tohto byť sú nie má môže ak ods písm zákona aj boli bol jej ich ktorých od",
    "slovenian": "in v na za se je ki z da s o so ali po pri ter tega člena od do kot zakona lahko če iz"
    " ne mora biti ni tem odstavka katerih bil pa tudi svoje oziroma sta med njegov",
    "spanish": "de la que el en y a los del las por con para se un una su al no lo es o como más sus sin"
    " sobre este esta entre cuando ser son ha si sido fue ley artículo e ni han podrá será deberá",
    "swahili": "ya na wa kwa ni za katika la kuwa cha kama hii au hiyo huo yake yeye mtu sheria hayo"
    " ambaye ambao si pia kila kifungu hiki baada kabla lakini vya iwapo atakuwa ambayo",
    "swedish": "och i av till att en är det för den som med på de ska skall inte ett kan eller om från vid"
    " har efter denna vara får detta också enligt lag när samt sig deras lagen andra första paragrafen sådan"
    " hos",
    "tagalog": "ang ng sa na at mga ay o para hindi ito kung may ni si kanyang nito batas ayon isang"
    " bilang lahat siya nila dapat maaaring upang dahil pagkatapos iba kaniyang",
    "turkish": "ve bir bu ile için olarak veya olan da de ya göre ise daha kadar gibi sonra her en ancak"
    " madde kanun hakkında edilir eder tarafından üzere bunların ki değil çok şekilde ilgili dışında ilişkin"
    " belirtilen uyarınca",
    "ukrainian": "і в на з не що до за та про або у від його як для це при якщо їх є бути який які яка"
    " може ст статті закону цього але також після він зі й із особи",
    "urdu": "کے میں کی ہے اور سے کا کو نہیں یہ پر جو اس کہ ہیں کسی یا ایک نے ہو تحت لیے گا دفعہ بھی کر گی"
    " تھا",
    "vietnamese": "của và các có là được cho trong theo này quy định khoản điều người không với về đến tại"
    " hoặc từ phải luật khi để những một đã trên do bị cơ quan việc đối",
    "welsh": "y yr a i o yn ar mewn â gan neu am ei eu wrth dan adran bod yw mae hyn na nid os fel unrhyw"
    " wedi at ac sydd hon hwn ran iddo er gyfer",
    "yiddish": "און די פון איז צו אין דער אַז ניט דאָס מיט זיך האָט ער זיי אויף וואָס פֿון נישט פאַר אויך האבן",
}
