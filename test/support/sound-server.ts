import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'

const rate = 48_000
const programs = ['pipewire', 'wireplumber', 'pipewire-pulse', 'pw-play', 'pw-metadata', 'dbus-run-session']
const libraries = ['libopus.so.0', 'libpulse.so.0'].map((name) => `/usr/lib/x86_64-linux-gnu/${name}`)

/** Whether this machine has what a sound server without hardware needs. */
export const hasSound =
  programs.every((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0) &&
  libraries.every((file) => existsSync(file))

/** WAV of a tone, in one channel of 16 bits. */
function wavOf(hertz: number, seconds: number): Buffer {
  const count = rate * seconds
  const file = Buffer.alloc(44 + count * 2)
  file.write('RIFF')
  file.writeUInt32LE(36 + count * 2, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(count * 2, 40)
  for (let index = 0; index < count; index++) {
    file.writeInt16LE(Math.round(12_000 * Math.sin((2 * Math.PI * hertz * index) / rate)), 44 + index * 2)
  }
  return file
}

/** Nodes in memory: the default output, another one, and a microphone that hears nothing. */
const nodes = [
  { name: 'speakers', kind: 'Audio/Sink', priority: 2_000 },
  { name: 'headset', kind: 'Audio/Sink', priority: 1_000 },
  { name: 'microphone', kind: 'Audio/Source/Virtual', priority: 3_000 },
] as const

const nodeOf = ({ name, kind, priority }: (typeof nodes)[number]) =>
  `{ factory = adapter args = { factory.name = support.null-audio-sink node.name = ${name} media.class = ${kind}
    priority.session = ${priority} audio.position = [ FL FR ] object.linger = true } }`

/** PipeWire with outputs and a microphone in memory, in place of the sound of a desktop. */
export interface SoundServer {
  /** Address for `PULSE_SERVER`. */
  address: string
  /** Makes the headset the default output, as its person does. */
  useHeadset(): void
  /** Plays a tone for a minute; the returned function ends it. */
  play(hertz: number): Promise<() => Promise<void>>
  stop(): Promise<void>
}

async function end(child: ChildProcess, target: number) {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    process.kill(target, 'SIGKILL')
    await exited
  }
}

/** Folder of a session and its user, in place of a folder of its own. */
interface Place {
  folder: string
  user: { uid: number; gid: number }
}

export async function startSoundServer(place?: Place): Promise<SoundServer> {
  const folder = place?.folder ?? mkdtempSync(join(tmpdir(), 'farhand-sound-'))
  const config = join(folder, '.config', 'pipewire', 'pipewire.conf.d')
  mkdirSync(config, { recursive: true })
  writeFileSync(join(config, 'nodes.conf'), `context.objects = [ ${nodes.map(nodeOf).join(' ')} ]\n`)
  const env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder }
  const options = { env, stdio: 'ignore', ...place?.user } as const
  const script = 'pipewire & wireplumber & pipewire-pulse & wait'
  const servers = spawn('dbus-run-session', ['--', 'sh', '-c', script], { ...options, detached: true })
  const socket = join(folder, 'pulse', 'native')
  await until(() => existsSync(socket))
  return {
    address: `unix:${socket}`,
    useHeadset() {
      const value = '{ "name": "headset" }'
      spawnSync('pw-metadata', ['0', 'default.configured.audio.sink', value, 'Spa:String:JSON'], options)
    },
    async play(hertz) {
      const file = join(folder, `${hertz}.wav`)
      writeFileSync(file, wavOf(hertz, 60))
      const player = spawn('pw-play', [file], options)
      await once(player, 'spawn')
      return () => end(player, player.pid!)
    },
    async stop() {
      await end(servers, -servers.pid!)
      if (!place) {
        rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
      }
    },
  }
}
