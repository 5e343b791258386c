import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { serverQueries } from '../api/server-queries.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import classes from './notices.module.css'

/** Warns administrators on every page while no backup was made for two days, with the age of the newest. */
export function BackupLine() {
  const { can } = useSession()
  const { pathname } = useLocation()
  const { data } = useQuery({ ...serverQueries.backup, enabled: can('server.telemetry.read') })
  if (!data?.isOld || pathname === '/backup') {
    return null
  }
  return (
    <section className={classes.notices} aria-label={t.backup.title}>
      <ul>
        <li>
          {data.newest ? (
            <>
              {t.backup.oldSince} <RelativeTime at={data.newest.at} />.
            </>
          ) : (
            t.backup.never
          )}
        </li>
      </ul>
      <Button component={Link} to="/backup" size="xs">
        {t.backup.open}
      </Button>
    </section>
  )
}
