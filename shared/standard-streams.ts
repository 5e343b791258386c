interface Output {
  on(event: 'error', listener: () => void): unknown
}

/** Keeps the process running when nobody reads its outputs (EPIPE) or the disk below its outputs is full (ENOSPC). */
export function surviveLostOutput(...outputs: readonly Output[]): void {
  outputs.forEach((output) => output.on('error', () => {}))
}
