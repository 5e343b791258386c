import { chmod, stat } from 'node:fs/promises'
import { z } from 'zod'
import type { Log } from '../../ground/log.ts'
import { system } from '../../ground/system.ts'
import { readFileIfThere, replaceFile } from '../../ground/durable-file.ts'
import { LostSecretError, type SecretStore } from './store.ts'

const KeyFile = z.object({ version: z.literal(1), secrets: z.record(z.string(), z.base64()) })

function parse(path: string, text: string): Record<string, string> {
  try {
    return KeyFile.parse(JSON.parse(text)).secrets
  } catch {
    // The parser's error would quote the secrets.
    throw new LostSecretError(
      `The key file ${path} is damaged or was written by a newer version. Put back a copy of it from a backup.`,
    )
  }
}

async function closeToOthers(path: string, log: Log): Promise<void> {
  if (!system.hasModes) {
    return
  }
  const mode = (await stat(path)).mode & 0o777
  if ((mode & 0o077) === 0) {
    return
  }
  await chmod(path, 0o600)
  log.warn({ path, mode: mode.toString(8) }, 'Other users of this machine could read the key file; set its mode to 600')
}

/** Stores secrets in a JSON file that only its owner can read. */
export async function openKeyFile(path: string, log: Log): Promise<SecretStore> {
  const read = async () => {
    const text = await readFileIfThere(path)
    return text === undefined ? undefined : parse(path, text)
  }
  if (await read()) {
    await closeToOthers(path, log)
  }

  let lastWrite = Promise.resolve()
  const change = (apply: (secrets: Map<string, string>) => void) => {
    const write = lastWrite.then(async () => {
      const secrets = new Map(Object.entries((await read()) ?? {}))
      apply(secrets)
      const content = { version: 1, secrets: Object.fromEntries(secrets) } satisfies z.input<typeof KeyFile>
      await replaceFile(path, `${JSON.stringify(content, null, 2)}\n`)
    })
    lastWrite = write.catch(() => undefined)
    return write
  }
  return {
    kind: 'file',
    async get(name) {
      const secrets = new Map(Object.entries((await read()) ?? {}))
      const text = secrets.get(name)
      return text === undefined ? undefined : Buffer.from(text, 'base64')
    },
    set: (name, value) => change((secrets) => secrets.set(name, value.toString('base64'))),
    delete: (name) => change((secrets) => secrets.delete(name)),
  }
}
