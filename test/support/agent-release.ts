import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { installerText } from '../../tools/agents/downloads.ts'
import { root } from '../../tools/processes.mjs'
import type { AtEnd } from './server-process.ts'

interface Release {
  /** Content that distinguishes bundles. */
  mark?: string
  /** Shell line that the bundle's program runs. */
  agent?: string
  /** Line of shell that stands in the place of Node before Node gets its arguments. */
  beforeNode?: string
}

let bundled: Promise<Map<string, Buffer>> | undefined

/** Files of the agent of this checkout, bundled once in a process. */
const bundledAgent = (): Promise<Map<string, Buffer>> =>
  (bundled ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farhand-bundled-agent-'))
    await bundleAgent(folder)
    const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
    rmSync(folder, { recursive: true })
    return files.set('package.json', Buffer.from('{"type":"module"}'))
  })())

/** Writes the real installer for Linux into a folder, and returns its path. */
export function writeInstaller(folder: string): string {
  const file = join(folder, 'Farhand.Agent.Installer')
  writeFileSync(file, installerText('linux-x64'))
  return file
}

/** Creates a downloads folder with the real installer for Linux, and a bundle with the agent of this checkout. */
export async function agentRelease(
  folder: string,
  { mark = 'a zip', agent, beforeNode = '' }: Release = {},
): Promise<string> {
  const target = join(folder, 'linux-x64')
  const content = `${folder}.content`
  mkdirSync(target, { recursive: true })
  mkdirSync(content, { recursive: true })
  const program = (name: string, line: string) =>
    writeFileSync(join(content, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  program('node', `${beforeNode}\nexec '${process.execPath}' "$@"`)
  program('Farhand.Agent', agent ?? 'here=$(dirname -- "$0")\nexec "$here/node" "$here/main.js" "$@"')
  if (agent === undefined && !existsSync(join(content, 'main.js'))) {
    for (const [name, bytes] of await bundledAgent()) {
      writeFileSync(join(content, name), bytes)
    }
    symlinkSync(join(root, 'node_modules'), join(content, 'node_modules'))
  }
  writeFileSync(join(content, 'mark'), mark)
  const bundle = join(target, 'Farhand.Agent.bundle')
  // The same content is the same bundle, whenever it is packed.
  const how = ['-I', 'gzip -1', '--mtime=@0', '-C', content]
  spawnSync('tar', ['-cf', `${bundle}.tar.gz`, ...how, ...readdirSync(content)])
  const hash = createHash('sha256')
    .update(readFileSync(`${bundle}.tar.gz`))
    .digest('hex')
  writeFileSync(`${bundle}.tar.gz.sha256`, `${hash}  Farhand.Agent.bundle.tar.gz\n`)
  // Only the zip's hash is requested in tests.
  writeFileSync(`${bundle}.zip`, mark)
  writeInstaller(target)
  writeFileSync(join(folder, 'Version.txt'), '1.2.3.0\n')
  return folder
}

export interface Ended {
  status: number | null
  output: string
}

/** Runs a line in a shell through its standard input, so that the line appears in no command line. */
export async function typeIntoShell(
  line: string,
  env: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Ended> {
  const shell = spawn('sh', ['-s'], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  atEnd(() => void shell.kill('SIGKILL'))
  let output = ''
  shell.stdout.on('data', (text) => (output += text))
  shell.stderr.on('data', (text) => (output += text))
  shell.stdin.end(`${line}\n`)
  const status = await new Promise<number | null>((resolve) => shell.on('close', resolve))
  return { status, output }
}
