import { UserError } from '../../../base/errors.ts'
import { mergeAreas } from '../../desktop/areas.ts'
import { changedTiles } from '../../desktop/changed-tiles.ts'
import type { Capture, Picture, Screen } from '../../desktop/desktop.ts'
import type { Robot } from './input.ts'

/** Polling interval: the system does not report drawing. */
const lookEveryMs = 50

/** Captures the whole main display each time, and compares with the previous capture. */
export class MacScreen implements Screen {
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
