import { Session } from 'node:inspector/promises'

/** Collects the garbage of this thread: before its memory is measured, or an object looked for that nothing should keep. */
export async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
