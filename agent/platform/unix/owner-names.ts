import { readFile } from 'node:fs/promises'

/** Name of an id in a file such as /etc/passwd; the id as text if the file does not have it. */
async function nameIn(file: string, id: number): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const line = text.split('\n').find((each) => each.split(':')[2] === String(id))
  return line?.split(':')[0] ?? String(id)
}

/** Names of the owner and the group of a file. */
export const ownerNames = async ({ uid, gid }: { uid: number; gid: number }) => ({
  owner: await nameIn('/etc/passwd', uid),
  group: await nameIn('/etc/group', gid),
})
