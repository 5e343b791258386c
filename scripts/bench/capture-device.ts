import { systemClock } from '../../agent/clock.ts'
import { startRemoteControl } from '../../agent/desktop/session/session.ts'
import { openX11Desktop } from '../../agent/desktop/x11/desktop.ts'

/** The device's side of a session in a process of its own: `capture-device.ts DISPLAY URI`. */
const [display = '', websocketUri = ''] = process.argv.slice(2)
const session = startRemoteControl({
  desktop: await openX11Desktop({ display }),
  request: {
    sessionId: '00000000-0000-0000-0000-000000000001',
    websocketUri,
    viewerName: null,
    notifyUserOnSessionStart: false,
    requireConsent: false,
  },
  ports: { clock: systemClock, askConsent: () => Promise.resolve(true) },
})
process.stdout.write(`Listening on ${display}\n`)
process.on('SIGTERM', () => session.end('The benchmark is over.'))
const { by, reason } = await session.ended
if (by !== 'server') {
  process.stderr.write(`${reason}\n`)
}
process.exit(0)
