import { useQuery } from '@tanstack/react-query'
import type { GuestDto } from '../../shared/api/appliance-entry.ts'
import type { PermissionName } from '../../shared/access.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { queries } from '../api/queries.ts'
import { useNow } from '../hooks/use-now.ts'
import * as t from '../texts.ts'
import { moment } from '../text/format.ts'
import classes from './notices.module.css'

function Visit({ guest: { displayName, deviceId, desktopSessionIds, expiresAt } }: { guest: GuestDto }) {
  const now = useNow()
  const { data: permissions } = useQuery(queries.devicePermissions(deviceId))
  const allowed = [...(permissions ?? [])].map((name) => permissionTexts[name as PermissionName].displayName)
  const ends = Date.parse(expiresAt)
  return (
    <section className={classes.notices} aria-label={t.guest.label}>
      <ul>
        <li>
          {t.guest.who(displayName)} {t.guest.ends(moment(ends, now), Math.max(0, Math.floor((ends - now) / 60_000)))}
        </li>
        {allowed.length > 0 && (
          <li>
            {t.guest.allowed(allowed.join(', '))} {desktopSessionIds && t.guest.desktops(desktopSessionIds.length)}
          </li>
        )}
      </ul>
    </section>
  )
}

/** Tells a guest of a link who they are here, what they may do, and until when. */
export function GuestLine() {
  const { data: guest } = useQuery(queries.guest)
  return guest ? <Visit guest={guest} /> : null
}
