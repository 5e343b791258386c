import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'

/** Clipboard of an X display, as its person uses it. */
export function xClipboard(display: string) {
  const env = { ...process.env, DISPLAY: display }
  const ofPicture = ['-selection', 'clipboard', '-target', 'image/png']
  const write = (args: readonly string[], content: string | Buffer) =>
    spawn('xclip', args, { env, stdio: ['pipe', 'ignore', 'ignore'] }).stdin.end(content)
  return {
    readPicture: async () =>
      (await promisify(execFile)('xclip', [...ofPicture, '-out'], { env, encoding: 'buffer' })).stdout,
    writePicture: (png: Buffer) => write(ofPicture, png),
    readClipboard: async () => (await promisify(execFile)('xclip', ['-selection', 'clipboard', '-o'], { env })).stdout,
    writeClipboard: (text: string) => write(['-selection', 'clipboard'], text),
  }
}
