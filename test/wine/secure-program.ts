/**
 * Runs in Wine: uses the helper for the secure desktop on the only desktop that Wine has. As `serve` it is the helper
 * itself, which otherwise does not serve the person's desktop.
 */
import { mouseEvent } from '../../agent/platform/windows/desktop/input-events.ts'
import { SignInDesktop } from '../../agent/platform/windows/desktop/sign-in.ts'
import { newPipeName } from '../../agent/platform/windows/pipe.ts'
import { SecureDesktop } from '../../agent/platform/windows/secure-desktop/client.ts'
import { serveSecureDesktop } from '../../agent/platform/windows/secure-desktop/helper.ts'
import { startHere } from '../../agent/platform/windows/session-program.ts'
import { ownSid } from '../../agent/platform/windows/users.ts'

const [role, name = '', processId = ''] = process.argv.slice(2)
/** `MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE` */
const moveAbsolute = 0x8001
const middle = { x: 32_768, y: 32_768 }
const corner = { x: 0, y: 0 }
const area = { x: 0, y: 0, width: 64, height: 32 }

/** Starts a helper for a process, and uses it from this one. */
async function attempt(served: string, forProcess: number, pointer: { x: number; y: number }) {
  const pipe = newPipeName()
  const helper = await startHere([process.execPath, process.argv[1]!, served, pipe, String(forProcess)])
  const desktop = new SecureDesktop(() => Promise.resolve(pipe))
  const seen = await desktop.capture(area).then(
    (rows) => rows.readUIntLE(0, 3).toString(16),
    (error: unknown) => (error as Error).message,
  )
  desktop.inject([mouseEvent(moveAbsolute, pointer)])
  // Answered only after the input.
  await desktop.capture(area).catch(() => undefined)
  desktop.close()
  return { seen, ended: await helper.ended }
}

/** Uses the sign-in screen through a helper, as a process that is on no desktop does. */
async function signIn() {
  const pipes = [newPipeName()]
  const helper = await startHere([process.execPath, process.argv[1]!, 'any', pipes[0]!, String(process.pid)])
  const desktop = await SignInDesktop.open(() => {
    const pipe = pipes.pop()
    return pipe === undefined ? Promise.reject(new Error('The agent starts no other helper.')) : Promise.resolve(pipe)
  })
  const displays = desktop.displays().map(({ name, isPrimary, bounds }) => ({ name, isPrimary, bounds }))
  const screen = await desktop.openScreen(desktop.displays()[0]!)
  const { picture } = await screen.capture(true)
  desktop.input.movePointer(200, 100)
  // Answered only after the input.
  await screen.capture(false)
  const left = new Promise((resolve) => {
    desktop.onEnd = resolve
  })
  // The agent's channel keeps such a process running.
  setTimeout(() => process.exit(2), 60_000)
  helper.kill()
  const end = await left
  desktop.close()
  return { displays, seen: picture.pixels.readUIntLE(0, 3).toString(16), end }
}

if (role === 'sign-in') {
  process.stdout.write(`${JSON.stringify(await signIn())}\n`)
} else if (role === 'control') {
  const [any, secure, stranger] = [
    await attempt('any', process.pid, middle),
    await attempt('secure', process.pid, corner),
    await attempt('any', process.pid + 4, corner),
  ]
  process.stdout.write(`${JSON.stringify({ any, secure, stranger })}\n`)
} else {
  await serveSecureDesktop(name, await ownSid(), Number(processId), role === 'any' ? () => true : undefined)
}
process.exit(0)
