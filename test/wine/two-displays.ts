import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer, type XDisplay } from '../../tools/simulate/display.ts'

const configuration = `
Section "Device"
  Identifier "device"
  Driver "dummy"
  VideoRam 64000
EndSection
Section "Screen"
  Identifier "screen"
  Device "device"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Virtual 1920 768
  EndSubSection
EndSection
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AllowMouseOpenFail" "true"
EndSection
`

/** Bounds on the X display. Windows counts from the corner of the primary display. */
export const primary = { x: 640, y: 0, width: 800, height: 600 }
export const second = { x: 0, y: 0, width: 640, height: 480 }

/** Starts an X display in memory with two monitors: `second`, and right of it `primary`. */
export async function startTwoDisplays(): Promise<XDisplay> {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-displays-'))
  const file = path.join(folder, 'xorg.conf')
  writeFileSync(file, configuration)
  const display = await startServer('Xorg', ['-config', file, '-logfile', path.join(folder, 'log')])
  const output = (name: string, { x, y, width, height }: typeof primary) => [
    '--output',
    name,
    '--mode',
    `${width}x${height}`,
    '--pos',
    `${x}x${y}`,
  ]
  const xrandr = (...args: string[]) => {
    const { status, stderr } = spawnSync('xrandr', ['-d', display.name, ...args], { encoding: 'utf8' })
    if (status !== 0) {
      throw new Error(`xrandr ${args.join(' ')}: ${stderr}`)
    }
  }
  xrandr('--addmode', 'DUMMY1', `${second.width}x${second.height}`)
  xrandr(...output('DUMMY1', second), ...output('DUMMY0', primary), '--primary')
  // The X server lists the modes of the second monitor only after another look, and Wine distrusts one without modes.
  xrandr('--query')
  return {
    ...display,
    async stop(signal) {
      await display.stop(signal)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
