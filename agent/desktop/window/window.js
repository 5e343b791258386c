/** Renders the agent's state as text, never as markup, and sends the person's answers to the agent. */
const element = (id) => document.getElementById(id)
const [form, text, choice, lines, note, always] = ['answer', 'text', 'choice', 'lines', 'note', 'always'].map(element)
let state
let shownAt = 0

/** Returns false if the agent cannot be reached. */
async function send(body) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('answer', { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined)
  return answer?.ok ?? false
}

function lineOf({ name, text: content, isOwn, problem }) {
  const item = document.createElement('div')
  const [sender, body] = [document.createElement('small'), document.createElement('span')]
  item.className = isOwn ? 'line own' : 'line'
  item.dir = 'auto'
  sender.textContent = name
  body.textContent = content
  item.append(sender, body)
  if (problem) {
    const told = document.createElement('small')
    told.className = 'problem'
    told.textContent = problem
    item.append(told)
  }
  return item
}

function showNote() {
  const secondsLeft = Math.max(0, Math.ceil((state.secondsLeft ?? 0) - (performance.now() - shownAt) / 1000))
  note.textContent = state.note.replace('{seconds}', secondsLeft)
}

function showAction(id, label) {
  element(id).textContent = label ?? ''
  element(id).hidden = !label
}

function show(next) {
  const isFirst = state === undefined
  state = next
  shownAt = performance.now()
  document.title = state.title
  element('title').textContent = state.title
  element('introduction').textContent = state.introduction
  lines.replaceChildren(...state.lines.map(lineOf))
  lines.scrollTop = lines.scrollHeight
  lines.hidden = state.lines.length === 0
  form.hidden = !state.send
  form.querySelector('button').textContent = state.send ?? ''
  text.placeholder = state.placeholder ?? ''
  text.ariaLabel = state.placeholder ?? ''
  choice.hidden = !state.allow
  showAction('allow', state.allow)
  showAction('allow-hour', state.allowHour)
  showAction('allow-today', state.allowToday)
  showAction('decline', state.decline)
  always.hidden = !state.always
  always.querySelector('span').textContent = state.always?.label ?? ''
  showNote()
  if (isFirst) {
    element('asks-always').checked = state.always?.isChecked ?? false
    // Focus the mildest answer, so that a person who is typing when the window opens does not allow anything by accident.
    const mildest = [
      ['decline', state.decline],
      ['allow-today', state.allowToday],
      ['allow-hour', state.allowHour],
    ].find(([, label]) => label)
    const first = state.allow ? element(mildest?.[0] ?? 'title') : text
    first.focus()
  }
}

async function sendText() {
  const message = text.value.trim()
  text.value = ''
  text.focus()
  if (message !== '' && !(await send({ text: message }))) {
    text.value = message
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void sendText()
})
text.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault()
    form.requestSubmit()
  }
})
const decide = (id, answer) =>
  element(id).addEventListener('click', () => void send({ ...answer, asksAlways: element('asks-always').checked }))
decide('allow', { isAllowed: true })
decide('allow-hour', { isAllowed: true, lasts: 'hour' })
decide('allow-today', { isAllowed: true, lasts: 'today' })
decide('decline', { isAllowed: false })
// A person who wants to be asked each time allows nothing for longer.
element('asks-always').addEventListener('change', ({ target }) => {
  element('allow-hour').disabled = target.checked
  element('allow-today').disabled = target.checked
})
setInterval(() => state && showNote(), 500)

const events = new EventSource('events')
let closing
events.addEventListener('open', () => clearTimeout(closing))
events.addEventListener('error', () => {
  // The agent has ended: input cannot be sent any more.
  clearTimeout(closing)
  closing = setTimeout(() => window.close(), 5000)
})
events.addEventListener('message', ({ data }) => show(JSON.parse(data)))
