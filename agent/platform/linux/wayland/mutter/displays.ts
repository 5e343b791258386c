import { z } from 'zod'
import type { Display, Rectangle } from '../../../desktop/desktop.ts'
import type { Bus } from '../bus.ts'

const displayConfig = {
  name: 'org.gnome.Mutter.DisplayConfig',
  path: '/org/gnome/Mutter/DisplayConfig',
  interface: 'org.gnome.Mutter.DisplayConfig',
}

const anyProperties = z.map(z.unknown(), z.unknown())
const monitorId = z.tuple([z.string(), z.string(), z.string(), z.string()])
const mode = z.tuple([z.string(), z.int(), z.int()]).rest(z.unknown())
const currentModes = z.tuple([monitorId, z.array(mode), anyProperties])
const logicalMonitor = z.tuple([
  z.int(),
  z.int(),
  z.number().positive(),
  z.int(),
  z.boolean(),
  z.array(monitorId),
  anyProperties,
])
const state = z.tuple([z.int(), z.array(currentModes), z.array(logicalMonitor), anyProperties])

export interface MutterDisplay extends Display {
  /** Name of the connector, by which Mutter records the monitor. */
  connector: string
  scale: number
}

/** Odd transforms turn the picture by 90 degrees. */
const turned = (transform: number, { width, height }: Pick<Rectangle, 'width' | 'height'>) =>
  transform % 2 === 1 ? { width: height, height: width } : { width, height }

/**
 * Displays as laid out, each with the size of its picture: positions are enlarged by the largest scale, so that
 * displays of different scales do not overlap.
 */
export async function readDisplays(bus: Bus): Promise<MutterDisplay[]> {
  const { values } = await bus.call(displayConfig, 'GetCurrentState')
  const [, monitors, logical, properties] = state.parse(values)
  // 1: positions are in logical pixels; 2: in pixels of the monitors.
  const isScaled = properties.get('layout-mode') !== 2
  const largest = isScaled ? Math.max(1, ...logical.map(([, , scale]) => scale)) : 1
  return logical.flatMap(([x, y, scale, transform, isPrimary, [shown]]) => {
    const monitor = monitors.find(([[connector]]) => connector === shown?.[0])
    const current = monitor?.[1].find((candidate) => {
      const ofMode = anyProperties.safeParse(candidate.at(-1)).data
      return ofMode?.get('is-current') === true
    })
    if (!monitor || !current) {
      return []
    }
    const [[connector, , product]] = monitor
    const size = turned(transform, { width: current[1], height: current[2] })
    const name = monitor[2].get('display-name')
    return {
      id: connector,
      connector,
      scale,
      name: typeof name === 'string' && name !== '' ? name : product || connector,
      isPrimary,
      bounds: { x: Math.round(x * largest), y: Math.round(y * largest), ...size },
    }
  })
}

export const watchDisplays = (bus: Bus, listener: () => void): (() => void) =>
  bus.listen(displayConfig, 'MonitorsChanged', listener)
