/** Shows what the agent says as text, never as markup, and sends back what the person answers. */
const element = (id) => document.getElementById(id)
const [form, text, choice, lines, note] = ['answer', 'text', 'choice', 'lines', 'note'].map(element)
let state
let shownAt = 0

/** False when the agent is not there. */
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
  element('allow').textContent = state.allow ?? ''
  element('decline').textContent = state.decline ?? ''
  showNote()
  if (isFirst) {
    // Whoever is typing when the window comes up must not allow anything by that.
    const first = state.allow ? element('decline') : text
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
element('allow').addEventListener('click', () => void send({ isAllowed: true }))
element('decline').addEventListener('click', () => void send({ isAllowed: false }))
setInterval(() => state && showNote(), 500)

const events = new EventSource('events')
let closing
events.addEventListener('open', () => clearTimeout(closing))
events.addEventListener('error', () => {
  // The agent has gone: nothing that is typed or clicked here would reach anybody.
  clearTimeout(closing)
  closing = setTimeout(() => window.close(), 5000)
})
events.addEventListener('message', ({ data }) => show(JSON.parse(data)))
