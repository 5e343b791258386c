import { UserError } from '../../base/errors.ts'
import { mergeAreas } from '../desktop/areas.ts'
import { changedTiles } from '../desktop/changed-tiles.ts'
import type { Capture, Picture, Screen } from '../desktop/desktop.ts'
import { placeholder } from '../desktop/placeholder.ts'
import type { Robot } from './input.ts'
import type { NativeSystem } from './system.ts'

/** Polling interval: the system does not report drawing. */
const lookEveryMs = 50
/** Captures the whole main display each time, and compares with the previous capture. */
export class NativeScreen implements Screen {
  onChange: () => void = () => undefined
  readonly #robot: Robot
  readonly #system: NativeSystem
  #last: Picture | undefined
  #looking: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(robot: Robot, system: NativeSystem) {
    this.#robot = robot
    this.#system = system
  }

  async capture(isWhole: boolean): Promise<Capture> {
    if (this.#isClosed) {
      throw new UserError('This screen is closed.')
    }
    const picture = await this.#read()
    const last = this.#last
    const { width, height, stride } = picture
    const isComparable = last?.width === width && last.height === height && last.stride === stride
    const areas =
      isWhole || !last || !isComparable ? [{ x: 0, y: 0, width, height }] : mergeAreas(changedTiles(last, picture))
    this.#last = picture
    clearTimeout(this.#looking)
    this.#looking = this.#isClosed ? undefined : setTimeout(() => this.onChange(), lookEveryMs).unref()
    return { picture, areas }
  }

  /** While the screen is hidden, returns a placeholder that names the reason. */
  async #read(): Promise<Picture> {
    const hiddenBy = this.#system.hiddenBy()
    if (hiddenBy !== undefined) {
      const { width, height } = this.#robot.getScreenSize()
      return await placeholder(hiddenBy, this.#last ?? { width, height })
    }
    const { width, height, byteWidth: stride, image } = this.#robot.screen.capture()
    return { width, height, stride, pixels: image as Buffer }
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#looking)
  }
}
