import { type Sayings, said } from './sayings.ts'

const SAID: readonly Sayings[] = [
  {
    request: 'Fass das Protokoll zusammen',
    reply: 'Das Team sprach über Budget, Einstellungen und den Start im März.',
    satisfied: `
      Danke dir vielmals!
      Top Zusammenfassung, genau das hab ich gebraucht
      perfekt, läuft
      Super gemacht, merci
      das hilft mir sehr, danke
      Klasse! Was gibt's heute in der Kantine?
      Danke, genau richtig. Wann ist das nächste Treffen?
      passt, nehme ich so
      sauber, danke`,
    turnedDown: `
      das ist leider falsch
      Nein, das stimmt so nicht.
      völliger Unsinn
      funktioniert immer noch nicht
      das bringt mir nichts
      Das ist Blödsinn.
      so ein Quatsch
      das ist nicht das, was ich wollte`,
    corrected: `
      bitte kürzer
      Kannst du das kürzer machen?
      könntest du das bitte in Stichpunkten schreiben?
      der Start ist im April, nicht im März
      du hast die Aufgaben vergessen
      ich wollte nur die Beschlüsse
      nächstes mal bitte mit Datum
      Anna fehlt noch
      schreib lieber im Präsens
      nicht so förmlich bitte
      Gut, aber ohne die Namen
      Das war das falsche Protokoll, ich meinte das von gestern
      Bitte auf Englisch
      das ist zu lang, zwei Sätze reichen
      Budget war gar kein Thema, es ging um Urlaub
      mach bitte eine Tabelle draus
      lass die Namen weg
      Ich hatte nach den Beschlüssen gefragt
      etwas lockerer bitte`,
    nothing: `
      Was ist mit Anna?
      Wer war dabei?
      Kannst du mir auch das Protokoll von gestern geben?
      und was kostet das?
      Schreib eine Mail an Anna
      Das wusste ich nicht
      mein Drucker geht nicht
      ich schau mal
      Das Essen heute war schlecht
      wie findest du das?
      Wann ist der Start genau?
      Kannst du das an Eva schicken?
      Und wer macht die Folien?
      Ich bin morgen nicht da
      die Heizung geht nicht, weiß jemand warum?
      Schreib bitte eine Einladung für das nächste Treffen`,
  },
  {
    request: 'Resume el acta',
    reply: 'El equipo habló del presupuesto y del lanzamiento en marzo.',
    satisfied: `
      mil gracias, quedó perfecto
      ¡Qué bien explicado!
      genial, me has salvado
      listo, gracias
      perfecto, justo lo que buscaba. ¿Y mañana qué hay?
      vale, gracias, queda clarísimo`,
    turnedDown: `
      eso está mal
      no, eso no es así
      no me sirve
      sigue sin funcionar
      no tiene ningún sentido
      está todo mal`,
    corrected: `
      más corto por favor
      ¿puedes hacerlo más corto?
      el lanzamiento es en abril, no en marzo
      te has olvidado de las tareas
      solo quería las decisiones
      la próxima vez con fechas
      falta Ana
      escríbelo en inglés
      bien, pero sin los nombres
      quita los nombres
      demasiado formal, somos amigos
      te pedí solo las tareas
      hazlo en forma de lista`,
    nothing: `
      ¿Quién es Ana?
      ¿y el presupuesto?
      ¿Puedes mandarlo a Ana?
      escribe un correo a Ana
      no lo sé
      mi ordenador no funciona
      ¿Cuándo es la próxima reunión?
      manda un correo al equipo
      mañana no estoy
      la impresora no funciona, ¿alguien sabe por qué?`,
  },
  {
    request: 'Résume le compte rendu',
    reply: "L'équipe a parlé du budget et du lancement en mars.",
    satisfied: `
      merci infiniment, c'est nickel
      génial, ça marche du tonnerre
      c'est exactement ça
      super, merci. Sinon, il fait quel temps demain ?
      merci, c'est très clair
      parfait, je l'envoie tel quel`,
    turnedDown: `
      c'est faux
      non, ce n'est pas ça
      ça ne marche toujours pas
      ça ne m'aide pas
      c'est complètement faux
      ça n'a aucun sens`,
    corrected: `
      plus court s'il te plaît
      tu peux le faire plus court ?
      le lancement est en avril, pas en mars
      tu as oublié les tâches
      je voulais seulement les décisions
      la prochaine fois avec les dates
      il manque Anne
      mets-le en anglais
      bien, mais sans les noms
      enlève les noms
      c'est trop formel, on se tutoie
      je t'ai demandé les tâches, pas le résumé
      fais-en une liste`,
    nothing: `
      Qui est Anne ?
      et le budget ?
      Tu peux l'envoyer à Anne ?
      écris un mail à Anne
      je ne sais pas
      mon imprimante ne marche pas
      C'est quand la prochaine réunion ?
      envoie un mail à l'équipe
      demain je ne suis pas là
      l'imprimante ne marche pas, quelqu'un sait pourquoi ?`,
  },
  {
    request: 'Vat de notulen samen',
    reply: 'Het team sprak over het budget en de lancering in maart.',
    satisfied: `
      heel erg bedankt, precies goed
      top, daar kan ik mee verder
      dank je wel, heel handig
      mooi samengevat`,
    turnedDown: `
      dat klopt niet
      nee, dat is fout
      hier heb ik niks aan
      dit slaat nergens op
      werkt niet`,
    corrected: `
      korter graag
      kun je het korter maken?
      de lancering is in april, niet in maart
      je bent de taken vergeten
      ik wilde alleen de besluiten
      volgende keer met datums
      Anna ontbreekt
      goed, maar zonder de namen
      laat de namen weg
      dat is te formeel, we kennen elkaar
      ik vroeg om de taken, niet om een samenvatting
      maak er een lijstje van`,
    nothing: `
      Wie is Anna?
      en het budget?
      Kun je het naar Anna sturen?
      schrijf een mail aan Anna
      weet ik niet
      mijn printer doet het niet
      Wanneer is de volgende vergadering?
      stuur een mail naar het team
      morgen ben ik er niet
      de printer doet het niet, weet iemand waarom?`,
  },
  {
    request: 'Resume a ata',
    reply: 'A equipe falou do orçamento e do lançamento em março.',
    satisfied: `
      muito obrigado, ficou ótimo
      perfeito, era isso mesmo
      ajudou demais, vlw
      valeu, ficou show`,
    turnedDown: `
      tá errado isso
      não funcionou
      isso não ajuda
      não é isso`,
    corrected: `
      mais curto por favor
      o lançamento é em abril, não em março
      você esqueceu as tarefas
      eu só queria as decisões
      da próxima vez com datas
      faltou a Ana
      bom, mas sem os nomes
      tira os nomes
      muito formal, somos amigos
      eu pedi as tarefas, não o resumo`,
    nothing: `
      Quem é Ana?
      e o orçamento?
      Pode mandar pra Ana?
      escreve um e-mail pra Ana
      não sei
      minha impressora não funciona
      Quando é a próxima reunião?
      manda um e-mail pra equipe
      amanhã não estou`,
  },
  {
    request: 'Streść protokół',
    reply: 'Zespół rozmawiał o budżecie i starcie w marcu.',
    satisfied: `
      super, dzięki wielkie
      świetnie, o to chodziło
      działa jak złoto
      dziękuję, bardzo pomocne`,
    turnedDown: `
      to jest źle
      nie, to nieprawda
      bzdura`,
    corrected: `
      krócej proszę
      start jest w kwietniu, nie w marcu
      zapomniałeś o zadaniach
      chciałem tylko decyzje
      następnym razem z datami
      brakuje Anny
      dobrze, ale bez nazwisk
      usuń nazwiska
      zbyt oficjalnie, znamy się
      prosiłem o zadania, nie o streszczenie`,
    nothing: `
      Kto to jest Anna?
      a budżet?
      Możesz wysłać to do Anny?
      napisz maila do Anny
      nie wiem
      moja drukarka nie działa
      Kiedy jest następne spotkanie?
      wyślij maila do zespołu
      jutro mnie nie ma`,
  },
  {
    request: 'meeting ka summary do',
    reply: 'Team ne budget aur March launch ke baare me baat ki.',
    satisfied: `
      bahut badhiya, thank you
      kamaal kar diya bhai
      ekdum sahi, dhanyavaad
      shukriya, samajh aa gaya`,
    turnedDown: `
      ye galat hai
      kaam nahi kar raha
      bilkul galat`,
    corrected: `
      thoda chhota karo
      launch April me hai, March me nahi
      tasks to bhool gaye
      mujhe sirf decisions chahiye the
      agli baar date ke saath
      naam hata do
      bahut lamba hai, do line me likho
      English me likho please`,
    nothing: `
      Anna kaun hai?
      aur budget?
      Anna ko bhej do
      mujhe nahi pata
      mera printer kaam nahi kar raha
      agli meeting kab hai?
      team ko mail bhejo
      kal main nahi hoon`,
  },
  {
    request: '議事録を要約して',
    reply: 'チームは予算と3月の公開について話しました。',
    satisfied: `
      助かりました!
      完璧です、ありがとう
      おお、分かりやすい
      なるほど、ありがとうございます`,
    turnedDown: `
      違いますよ
      全然だめです
      それは間違っています`,
    corrected: `
      もっと短くしてください
      公開は3月ではなく4月です
      担当者が抜けています
      次回からは日付も入れてください
      決定事項だけでいいです
      長すぎるので2文でお願いします
      英語で書いてください`,
    nothing: `
      アンナさんは誰ですか?
      予算は?
      アンナさんに送って
      知りませんでした
      プリンターが動かない
      次の会議はいつですか?
      明日は休みです
      チームにメールを送って`,
  },
]

said(SAID)
