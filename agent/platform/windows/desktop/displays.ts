import type { Display } from '../../desktop/desktop.ts'
import type { Handle } from '../library.ts'
import { winuser, type MonitorInfo } from '../win32/winuser.ts'

const primary = 1
/** Windows sends changes only to window procedures, which would have to be JavaScript. */
const lookEveryMs = 1000

type Api = Awaited<ReturnType<typeof winuser>>

export function readDisplays({
  enumDisplayMonitors,
  getMonitorInfo,
  sizes,
}: Pick<Api, 'enumDisplayMonitors' | 'getMonitorInfo' | 'sizes'>): Display[] {
  const monitors: Handle[] = []
  enumDisplayMonitors(0, null, (monitor) => monitors.push(monitor) > 0, 0)
  return monitors.flatMap((monitor) => {
    const info: Partial<MonitorInfo> = { cbSize: sizes.monitorInfo }
    if (!getMonitorInfo(monitor, info)) {
      return []
    }
    const { rcMonitor, dwFlags, szDevice } = info as MonitorInfo
    const { left: x, top: y, right, bottom } = rcMonitor
    return [
      {
        id: szDevice,
        name: `Display ${/\d+$/.exec(szDevice)?.[0] ?? szDevice}`,
        isPrimary: (dwFlags & primary) !== 0,
        bounds: { x, y, width: right - x, height: bottom - y },
      },
    ]
  })
}

/** Displays of this session, in real pixels; the primary display begins at (0, 0), others may be left or above of it. */
export class WindowsDisplays {
  onChange: () => void = () => undefined
  readonly #api: Api
  readonly #looking: NodeJS.Timeout
  #displays: readonly Display[]

  private constructor(api: Api) {
    this.#api = api
    this.#displays = readDisplays(api)
    this.#looking = setInterval(() => this.#look(), lookEveryMs).unref()
  }

  static async open(): Promise<WindowsDisplays> {
    return new WindowsDisplays(await winuser())
  }

  list(): readonly Display[] {
    return this.#displays
  }

  close(): void {
    clearInterval(this.#looking)
  }

  #look() {
    const displays = readDisplays(this.#api)
    // While displays are switched, Windows reports none for a moment.
    if (displays.length > 0 && JSON.stringify(displays) !== JSON.stringify(this.#displays)) {
      this.#displays = displays
      this.onChange()
    }
  }
}
