import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bundleAgent } from '../../scripts/agents/bundle.ts'
import { installerText } from '../../scripts/agents/downloads.ts'
import { root } from '../../scripts/processes.mjs'

interface Release {
  /** What tells one bundle from another. */
  mark?: string
  /** What the program of the bundle does instead of the agent, as a line of shell. */
  agent?: string
  /** Line of shell that stands in the place of Node before Node gets its arguments. */
  beforeNode?: string
}

/** A downloads folder with the real installer for Linux, and a bundle with the agent of this checkout. */
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
    await bundleAgent(content)
    writeFileSync(join(content, 'package.json'), '{"type":"module"}')
    symlinkSync(join(root, 'node_modules'), join(content, 'node_modules'))
  }
  writeFileSync(join(content, 'mark'), mark)
  const bundle = join(target, 'Farhand.Agent.bundle')
  spawnSync('tar', ['-czf', `${bundle}.tar.gz`, '-C', content, ...readdirSync(content)])
  const hash = createHash('sha256')
    .update(readFileSync(`${bundle}.tar.gz`))
    .digest('hex')
  writeFileSync(`${bundle}.tar.gz.sha256`, `${hash}  Farhand.Agent.bundle.tar.gz\n`)
  // Only its hash is asked for here.
  writeFileSync(`${bundle}.zip`, mark)
  writeFileSync(join(target, 'Farhand.Agent.Installer'), installerText('linux-x64'))
  writeFileSync(join(folder, 'Version.txt'), '1.2.3.0\n')
  return folder
}

export interface Ended {
  status: number | null
  output: string
}

/** Types a line into a shell, so that it stands on no command line itself. */
export async function typeIntoShell(line: string, env: Record<string, string> = {}): Promise<Ended> {
  const shell = spawn('sh', ['-s'], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void shell.kill('SIGKILL'))
  let output = ''
  shell.stdout.on('data', (text) => (output += text))
  shell.stderr.on('data', (text) => (output += text))
  shell.stdin.end(`${line}\n`)
  const status = await new Promise<number | null>((resolve) => shell.on('close', resolve))
  return { status, output }
}
