import { nativeFunctions } from '../../base/native-functions.ts'
import type { NativeSystem } from '../native/system.ts'
import type { Tools } from '../native/tools.ts'

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

const tools: Tools = {
  readText: { file: '/usr/bin/pbpaste', arguments: [] },
  writeText: { file: '/usr/bin/pbcopy', arguments: [] },
  showNotice: (text, label) => ({
    file: '/usr/bin/osascript',
    arguments: [
      '-e',
      'on run arguments',
      '-e',
      'display dialog (item 1 of arguments) buttons {item 2 of arguments, "Hide"} default button "Hide"',
      '-e',
      'end run',
      text,
      label,
    ],
  }),
}

const howTo = (list: string) =>
  `Allow "node" at the device: System Settings, Privacy & Security, ${list}. Then end this agent's processes or sign in again.`

/** On macOS the person decides which programs may see and control the screen. */
export async function macSystem(): Promise<NativeSystem> {
  const { mayRecord, askToRecord, mayControl } = await functions()
  let isAsked = false
  return {
    captureMode: 'CoreGraphics',
    unitsPerNotch: 1,
    tools,
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
