import { deferred } from '../../../shared/deferred.ts'
import type { Launcher } from '../found-desktop.ts'
import { desktopProgram, secureDesktopProgram } from '../spawned-process.ts'
import type { CommandLine } from '../../base/command-line.ts'
import { common } from './library.ts'
import { Pipe } from './pipe.ts'
import { SecureDesktopHelpers } from './secure-desktop/helpers.ts'
import { startAs, startAsSystem, startConfined, startHere, type Program } from './session-program.ts'
import type { WindowsSession } from './sessions.ts'
import { localService, ownSid, userOfSession } from './users.ts'

/** Timeout for the process to connect; a device that has just started is slow. */
const comingMs = 30_000

type Prepared = { sid: string; start: (command: CommandLine) => Promise<Program>; close: () => void }

async function prepare({ id, user }: WindowsSession, isOwn: boolean): Promise<Prepared> {
  if (isOwn) {
    return { sid: await ownSid(), start: startHere, close: () => undefined }
  }
  const { closeHandle } = await common()
  const [{ token, sid }, startWith] =
    user === '' ? [await localService(), startConfined] : [await userOfSession(id), startAs]
  return { sid, start: (command) => startWith(token, command), close: () => void closeHandle(token) }
}

/**
 * Serves a session as its user, and the sign-in screen as LocalService, because no input of viewers is decoded as SYSTEM.
 * Handles cannot be inherited from the services' session to a user's session, so the
 * process connects to a pipe that accepts only this user and this process.
 */
export const launcherOf = (session: WindowsSession, isOwn: boolean): Launcher => ({
  key: `${session.id} ${session.user}`,
  start(command = desktopProgram()) {
    const { promise: ended, resolve } = deferred<string>()
    const started = deferred<Program>()
    let program: Program | undefined
    let isUnwanted = false
    let ownerSid = ''
    const helpers = new SecureDesktopHelpers(async (name) => {
      const { pid } = await started.promise
      return await startAsSystem(session.id, secureDesktopProgram(name, ownerSid, String(pid)))
    })
    const run = async () => {
      const { sid, start, close } = await prepare(session, isOwn)
      ownerSid = sid
      const pipe = await Pipe.open(sid).catch((error: unknown) => {
        close()
        throw error
      })
      try {
        program = await start([...command, pipe.name])
      } catch (error) {
        pipe.close()
        throw error
      } finally {
        close()
      }
      void program.ended.then((how) => {
        helpers.close()
        pipe.close()
        resolve(how)
      })
      if (isUnwanted) {
        program.kill()
      }
      started.resolve(program)
      return await pipe.accept(program.pid, performance.now() + comingMs)
    }
    const channel = run()
    channel.catch((error: Error) => program ?? resolve(error.message))
    return {
      get pid() {
        return program?.pid
      },
      channel,
      ...(!isOwn && {
        openSecureDesktop: () => helpers.open(),
        closeSecureDesktop: () => helpers.close(),
      }),
      outputs: started.promise.then(({ outputs }) => outputs),
      ended,
      end(isForced: boolean) {
        isUnwanted = true
        if (isForced) {
          program?.kill()
        }
        // The process ends when its channel closes; a process without a channel is killed.
        channel.then(
          (socket) => socket.destroy(),
          () => program?.kill(),
        )
      },
    }
  },
})
