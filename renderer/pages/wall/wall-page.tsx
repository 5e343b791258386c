import { IconLayoutGrid } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { ButtonLink } from '../../components/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { mostScreens } from '../../features/control/wall-previews.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'
import { Tile } from './tile.tsx'
import classes from './wall.module.css'

/** Screens of several devices, by the ids in the address. */
export function Component() {
  usePageTitle(t.wall.title)
  const [query] = useSearchParams()
  const ids = [...new Set(query.get('devices')?.split(',').filter(Boolean))]
  if (ids.length === 0) {
    return (
      <EmptyState icon={IconLayoutGrid} title={t.wall.none} hint={t.wall.noneHint}>
        <ButtonLink to="/devices">{t.wall.toList}</ButtonLink>
      </EmptyState>
    )
  }
  return (
    <div className={classes.page}>
      <PageHead title={t.wall.title} intro={t.wall.intro} />
      {ids.length > mostScreens && <p className={classes.note}>{t.wall.tooMany(mostScreens, ids.length)}</p>}
      <ul className={classes.tiles}>
        {ids.slice(0, mostScreens).map((id) => (
          <Tile key={id} deviceId={id} />
        ))}
      </ul>
    </div>
  )
}
