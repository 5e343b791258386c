import { UserError } from '../../../base/errors.ts'
import type { DesktopConnector } from '../../platform.ts'
import { nativeFunctions } from '../../../base/native-functions.ts'

interface MacFunctions {
  mayRecord: () => boolean
  /** Adds this program to the system's list of programs that may record the screen, and asks the person once. */
  askToRecord: () => boolean
  mayControl: () => boolean
}

const frameworks = '/System/Library/Frameworks'

const functions = nativeFunctions((koffi): MacFunctions => {
  const graphics = koffi.load(`${frameworks}/CoreGraphics.framework/CoreGraphics`)
  const services = koffi.load(`${frameworks}/ApplicationServices.framework/ApplicationServices`)
  return {
    mayRecord: graphics.func('bool CGPreflightScreenCaptureAccess()'),
    askToRecord: graphics.func('bool CGRequestScreenCaptureAccess()'),
    mayControl: services.func('bool AXIsProcessTrusted()'),
  }
})

const howTo = (list: string) =>
  `Allow "node" at the device: System Settings, Privacy & Security, ${list}. Then end this agent's processes or sign in again.`

let isAsked = false

/** Returns why the person at the Mac does not let this program see or control the screen; undefined if they do. */
async function permissionProblem(): Promise<string | undefined> {
  const { mayRecord, askToRecord, mayControl } = await functions()
  if (!mayRecord()) {
    if (!isAsked) {
      isAsked = true
      askToRecord()
    }
    return `macOS does not let the agent see the screen. ${howTo('Screen & System Audio Recording')}`
  }
  return mayControl() ? undefined : `macOS does not let the agent control this Mac. ${howTo('Accessibility')}`
}

/** Connector to the main display through a native package, which is loaded only in the process of a desktop. */
export async function macConnector(): Promise<DesktopConnector> {
  const { openMacDesktop } = await import('./desktop.ts')
  return {
    open: openMacDesktop,
    async check() {
      const problem = await permissionProblem()
      if (problem !== undefined) {
        throw new UserError(problem)
      }
      const desktop = await openMacDesktop()
      desktop.close()
    },
  }
}
