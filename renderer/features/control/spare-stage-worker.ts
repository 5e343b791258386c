const load = () => new Worker(new URL('./stage-worker.ts', import.meta.url), { type: 'module' })

let spare: Worker | undefined

/** Loads the worker of the next session ahead: a click would wait for its script. */
export function prepareStageWorker(): void {
  if (spare) {
    return
  }
  const worker = load()
  spare = worker
  // A script that did not load, such as during a restart of the server, is loaded again by the next session.
  worker.addEventListener('error', () => {
    if (spare === worker) {
      spare = undefined
    }
  })
}

export function takeStageWorker(): Worker {
  const worker = spare ?? load()
  spare = undefined
  return worker
}
