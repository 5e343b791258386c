import { nativeFunctions } from '../../base/native-functions.ts'
import type { NativeSystem } from './system.ts'

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

/** On macOS the person decides which programs may see and control the screen. */
export async function macSystem(): Promise<NativeSystem> {
  const { mayRecord, askToRecord, mayControl } = await functions()
  let isAsked = false
  return {
    problem() {
      if (!mayRecord()) {
        if (!isAsked) {
          isAsked = true
          askToRecord()
        }
        return `macOS does not let the agent see the screen. ${howTo('Screen & System Audio Recording')}`
      }
      return mayControl() ? undefined : `macOS does not let the agent control this Mac. ${howTo('Accessibility')}`
    },
    hiddenBy: () => undefined,
  }
}
