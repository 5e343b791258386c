import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import type { VisitedDevice } from './visit-steps.ts'

/** Clipboard of an X display, as its person uses it. */
export function xClipboard(display: string): Pick<VisitedDevice, 'readClipboard' | 'writeClipboard'> {
  const env = { ...process.env, DISPLAY: display }
  return {
    readClipboard: async () => (await promisify(execFile)('xclip', ['-selection', 'clipboard', '-o'], { env })).stdout,
    writeClipboard(text) {
      const program = spawn('xclip', ['-selection', 'clipboard'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
      program.stdin.end(text)
    },
  }
}
