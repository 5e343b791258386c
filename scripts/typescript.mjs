/** `node --import ./scripts/typescript.mjs file.ts`: runs TypeScript on a Node that cannot, such as 20.19. */
import { transform } from 'esbuild'
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

// Node loads this file again in the thread where it calls the hook.
if (isMainThread) {
  register(import.meta.url)
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) {
    return nextLoad(url, context)
  }
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { loader: 'ts', sourcemap: 'inline' })
  return { format: 'module', source: code, shortCircuit: true }
}
