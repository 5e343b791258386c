const load = () => new Worker(new URL('./stage-worker.ts', import.meta.url), { type: 'module' })

let spare: Worker | undefined

/** Loads the worker of the next session ahead: a click would wait for its script. */
export function prepareStageWorker(): void {
  spare ??= load()
}

export function takeStageWorker(): Worker {
  const worker = spare ?? load()
  spare = undefined
  return worker
}
