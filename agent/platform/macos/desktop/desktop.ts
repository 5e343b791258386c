import { pointerCursor } from '../../../../shared/remote-control/values.ts'
import { UserError } from '../../../base/errors.ts'
import type { Desktop, Display, Screen, Capture, Picture } from '../../desktop/desktop.ts'
import { noSwitch } from '../../desktop/switches.ts'
import { MacInput, type Robot } from './input.ts'
import { clipboard, showNotice } from './tools.ts'
import { mergeAreas } from '../../desktop/areas.ts'
import { changedTiles } from '../../desktop/changed-tiles.ts'

/** Polling interval: the system does not report drawing. */
const lookEveryMs = 50

/** Captures the whole main display each time, and compares with the previous capture. */
class MacScreen implements Screen {
  onChange: () => void = () => undefined
  readonly #robot: Robot
  #last: Picture | undefined
  #looking: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(robot: Robot) {
    this.#robot = robot
  }

  async capture(isWhole: boolean): Promise<Capture> {
    if (this.#isClosed) {
      throw new UserError('This screen is closed.')
    }
    const { width, height, byteWidth: stride, image } = this.#robot.screen.capture()
    const picture = { width, height, stride, pixels: image as Buffer }
    const last = this.#last
    const isComparable = last?.width === width && last.height === height && last.stride === stride
    const areas =
      isWhole || !last || !isComparable ? [{ x: 0, y: 0, width, height }] : mergeAreas(changedTiles(last, picture))
    this.#last = picture
    clearTimeout(this.#looking)
    this.#looking = setTimeout(() => this.onChange(), lookEveryMs).unref()
    return { picture, areas }
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#looking)
  }
}

/** Loads the package on first use: without its compiled part only remote control fails. */
async function loadRobot(): Promise<Robot> {
  try {
    const { default: robot } = await import('@hurdlegroup/robotjs')
    return robot
  } catch {
    throw new UserError('This agent has no part for the screen of this system.')
  }
}

/** Main display of the session that this program runs in. */
class MacDesktop implements Desktop {
  readonly captureMode = 'CoreGraphics'
  readonly input: MacInput
  readonly clipboard = clipboard
  readonly showNotice = showNotice
  // Never called: the system sends no such events.
  onDisplaysChanged: () => void = () => undefined
  onCursorChanged: () => void = () => undefined
  onEnd: (reason: string) => void = () => undefined
  readonly blockInput = noSwitch('The agent cannot block the pointer and keyboard of a Mac.')
  readonly blankScreens = noSwitch('The agent cannot blank the screens of a Mac.')
  readonly #robot: Robot
  readonly #screens = new Set<Screen>()

  constructor(robot: Robot) {
    this.#robot = robot
    this.input = new MacInput(robot)
  }

  displays(): readonly Display[] {
    const { width, height } = this.#robot.getScreenSize()
    return [{ id: 'main', name: 'Main display', isPrimary: true, bounds: { x: 0, y: 0, width, height } }]
  }

  cursor() {
    return { shape: pointerCursor.Unknown }
  }

  pointer() {
    return Promise.resolve(this.#robot.getMousePos())
  }

  openScreen(): Promise<Screen> {
    const screen = new MacScreen(this.#robot)
    this.#screens.add(screen)
    return Promise.resolve(screen)
  }

  close() {
    this.input.releaseAll()
    for (const screen of this.#screens) {
      screen.close()
    }
  }
}

/** Rejects with a UserError where the compiled part is missing. */
export async function openMacDesktop(): Promise<Desktop> {
  return new MacDesktop(await loadRobot())
}
