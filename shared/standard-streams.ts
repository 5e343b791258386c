interface Output {
  on(event: 'error', listener: () => void): unknown
}

/** Keeps the process running when its outputs have no reader (EPIPE) or the disk is full (ENOSPC). */
export function surviveLostOutput(...outputs: readonly Output[]): void {
  outputs.forEach((output) => output.on('error', () => {}))
}
