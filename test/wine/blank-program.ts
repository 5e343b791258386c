/**
 * Runs in Wine: covers all displays as the agent does, without the call that leaves the windows out of pictures, which
 * Wine lacks. Goes on until it is killed; prints what the agent itself reports in Wine.
 */
import { blankScreens, Covers } from '../../agent/platform/windows/desktop/blank-screens.ts'
import { windowsConnector } from '../../agent/platform/windows/desktop/desktop.ts'

const desktop = await windowsConnector.open({
  grant: { read: () => Promise.resolve(null), store: () => Promise.resolve() },
  isSession: false,
})
const problem = await blankScreens
  .newSwitch()
  .set(true)
  .catch((error: Error) => error.message)
const covers = await Covers.create(() => undefined)
covers.open()
process.stdout.write(`${JSON.stringify({ problem, displays: desktop.displays().length })}\n`)
setInterval(() => undefined, 1000)
