import { notifications } from '@mantine/notifications'
import { listForUpload } from '../../api/files.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { useSession } from '../../hooks/use-session.ts'
import { files } from '../../texts.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { visibleName } from '../../text/visible-name.ts'
import { beginUploads } from './begin-upload.ts'
import { readDropped } from './dropped.ts'
import type { LocalFile } from './local-files.ts'
import { ignoresCase, personFolder } from './person-folder.ts'
import classes from './send-drop.module.css'
import { onceDone } from './transfers.ts'
import { planUpload } from './upload-plan.ts'
import { useDrop } from './use-drop.ts'
import { queryClient } from '../../api/query-client.ts'

const t = files.sendDrop

/** Folder that the desktop of a session names for dropped files. */
interface DropFolder {
  /** Undefined until the device has named it. */
  shown: string | undefined
  find: () => Promise<string | undefined>
}

/**
 * Sends files that are dropped on a session to the folder that its desktop names, else to that of a person: `username` of
 * the desktop, or whoever is logged in. Returns handlers for the session's element, and a hint to show in it.
 */
export function useSendDrop(username?: string, folder?: DropFolder) {
  const { device, can } = usePageDevice()
  const { user } = useSession()
  const place = { deviceId: device.id, tenantId: user.tenantId }
  const deviceName = nameOfDevice(device)
  const problem = !device.isOnline
    ? files.offlineUpload
    : can('device.file-system.transfer-upload') && can('device.file-system.read')
      ? undefined
      : t.refused

  const send = async (dropped: Promise<LocalFile[]>) => {
    const id = notifications.show({ message: t.looking(deviceName), loading: true, autoClose: false })
    const tell = (message: string, color?: string) =>
      notifications.update({ id, message, loading: false, autoClose: true, ...(color && { color }) })
    try {
      const people =
        username === undefined || username === ''
          ? await queryClient.fetchQuery(deviceQueries.desktopSessions(device.id)).then(
              (desktops) => desktops.map((desktop) => desktop.username),
              () => [],
            )
          : [username]
      // A sign-in screen has no person.
      const named = username === '' ? undefined : await folder?.find()
      const target = named ?? (await personFolder(place, device.platform, people))
      const locals = await dropped
      if (target === undefined || locals.length === 0) {
        return tell(target === undefined ? t.noFolder : files.nothingDropped, 'danger')
      }
      const plan = await planUpload(target, locals, {
        ignoresCase: ignoresCase(device.platform),
        list: async (folder) => (await listForUpload(place, folder)).entries,
        // A file of the person there is never replaced.
        ask: () => Promise.resolve({ answer: 'keepBoth', isForAll: true }),
      })
      // The desktop that named the folder is its user's, who could name any other one (T32).
      const to = { ...place, ...(named !== undefined && { ownedBy: username }) }
      const ids = beginUploads({ place: to, deviceName, target }, plan ?? [])
      tell(t.sending(locals.length, visibleName(target)))
      onceDone(ids, () => notifications.show({ message: t.sent(locals.length, visibleName(target), deviceName) }))
    } catch (error) {
      tell(problemText(error), 'danger')
    }
  }
  const { isOver, handlers } = useDrop((dropped) => {
    if (dropped && problem === undefined) {
      void send(readDropped(dropped))
    }
    return problem === undefined ? deviceName : undefined
  })
  const hint = isOver && (
    <p className={classes.hint} role="status">
      {problem ??
        (folder?.shown === undefined ? t.hint(deviceName) : t.hintFolder(visibleName(folder.shown), deviceName))}
    </p>
  )
  return { handlers, hint }
}
