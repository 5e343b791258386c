// @ts-check
/** Shows what the shell says about its server. The shell itself leaves this page once the server runs. */

/** @typedef {{ state: string, problem: string | null, isService?: boolean }} State */
/** @type {{ getServerState(): Promise<State>, retryStart(): Promise<State>, openDataFolder(): Promise<void> }} */
const desktop = Reflect.get(window, 'desktop')
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id))

/** @param {State} state */
function show({ state, problem, isService }) {
  const hasFailed = state === 'failed'
  part('failed').hidden = !hasFailed
  part('starting').hidden = hasFailed
  part('problem').textContent = problem
  // The data of a service is not this user's, and the window goes on by itself.
  part('title').textContent = isService ? 'The Farhand service does not answer' : 'Farhand could not start'
  for (const own of ['advice', 'folder']) part(own).hidden = isService === true
  if (hasFailed) part('retry').focus()
}

part('retry').addEventListener('click', async () => {
  show({ state: 'starting', problem: null })
  show(await desktop.retryStart())
})
part('folder').addEventListener('click', () => void desktop.openDataFolder())
void desktop.getServerState().then(show)
