/**
 * Runs in Wine: tests the Windows calls that the agent makes as a service, with the token of this process for lack of
 * another one. Prints the results as one line of JSON.
 */
import { connect } from 'node:net'
import koffi from 'koffi'
import { common, type Handle, type Out } from '../../agent/platform/windows/library.ts'
import { Pipe } from '../../agent/platform/windows/pipe.ts'
import { startAs, startConfined } from '../../agent/platform/windows/session-program.ts'
import { ownSid } from '../../agent/platform/windows/users.ts'

const [kernel32, advapi32] = [koffi.load('kernel32.dll'), koffi.load('advapi32.dll')]
const currentProcess: () => Handle = kernel32.func('intptr __stdcall GetCurrentProcess()')
const openToken: (process: Handle, access: number, token: Out<Handle>) => boolean = advapi32.func(
  'bool __stdcall OpenProcessToken(intptr process, uint32 access, _Out_ intptr *token)',
)
const maximumAllowed = 0x200_0000
const soon = () => performance.now() + 20_000

const sid = await ownSid()
const token: Out<Handle> = [0]
openToken(currentProcess(), maximumAllowed, token)

/** Sends its arguments and environment over the pipe in its last argument; exits with 7 when the pipe closes. */
const client = `
  const pipe = require('node:net').connect(process.argv.at(-1))
  pipe.write(JSON.stringify([process.argv.slice(1, -1), typeof process.env.USERPROFILE]) + '\\n')
  pipe.on('close', () => process.exit(7))`
const pipe = await Pipe.open(sid)
const program = await startAs(token[0], [process.execPath, '-e', client, 'with "quotes" and blanks\\', pipe.name])
const socket = await pipe.accept(program.pid, soon())
const said = await new Promise((resolve) => socket.once('data', (data) => resolve(JSON.parse(String(data)))))
socket.destroy()
const ended = await program.ended

/** Number of privileges of a process started as for the sign-in screen, by the size of what Windows answers. */
const privileges = `
  const koffi = require('koffi')
  const [kernel32, advapi32] = [koffi.load('kernel32.dll'), koffi.load('advapi32.dll')]
  const [token, length, value] = [[0], [0], Buffer.alloc(4096)]
  advapi32.func('bool OpenProcessToken(intptr process, uint32 access, _Out_ intptr *token)')(-1, 8, token)
  advapi32.func('bool GetTokenInformation(intptr token, int kind, void *value, uint32 size, _Out_ uint32 *length)')(
    token[0], 3, value, value.length, length)
  process.exit(value.readUInt32LE())`
const confined = await startConfined(token[0], [process.execPath, '-e', privileges])
const privilegesLeft = await confined.ended

const sleeper = await startAs(token[0], [process.execPath, '-e', 'setTimeout(() => {}, 60000)'])
sleeper.kill()
const killed = await sleeper.ended

const guarded = await Pipe.open(sid)
const stranger = connect(guarded.name)
stranger.on('error', () => undefined)
const refusal = await guarded.accept(program.pid, soon()).then(
  () => 'let in',
  (error: Error) => error.message,
)
const missing = await startAs(token[0], ['C:\\there is none.exe']).then(
  () => 'started',
  (error: Error) => error.message,
)
;(await common()).closeHandle(token[0])
process.stdout.write(`${JSON.stringify({ sid, said, ended, killed, refusal, missing, privilegesLeft })}\n`)
process.exit(0)
