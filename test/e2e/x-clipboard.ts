import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'

/** Clipboard of an X display, as its person uses it. */
export function xClipboard(display: string) {
  const env = { ...process.env, DISPLAY: display }
  const targeted = (type: string) => ['-selection', 'clipboard', '-target', type]
  const write = (args: readonly string[], content: string | Buffer) =>
    spawn('xclip', args, { env, stdio: ['pipe', 'ignore', 'ignore'] }).stdin.end(content)
  const readAs = async (type: string) =>
    (await promisify(execFile)('xclip', [...targeted(type), '-out'], { env, encoding: 'buffer' })).stdout
  const writeAs = (type: string, content: string | Buffer) => write(targeted(type), content)
  return {
    readAs,
    writeAs,
    readPicture: () => readAs('image/png'),
    writePicture: (png: Buffer) => writeAs('image/png', png),
    readClipboard: async () => (await promisify(execFile)('xclip', ['-selection', 'clipboard', '-o'], { env })).stdout,
    writeClipboard: (text: string) => write(['-selection', 'clipboard'], text),
  }
}
