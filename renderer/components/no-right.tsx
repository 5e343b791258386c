import { IconLock } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { PermissionName } from '../../shared/access.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { EmptyState } from './empty-state.tsx'

/** Shown in place of a page that the person may not open; any of the rights would do. */
export const NoRight = ({ page, rights }: { page: string; rights: readonly PermissionName[] }) => (
  <EmptyState
    icon={IconLock}
    title={page}
    hint={t.common.noRight(rights.map((name) => permissionTexts[name].displayName))}
  />
)

/** Page for people with any of the rights. */
export const pageWithRight = (title: string, rights: readonly PermissionName[], Content: ComponentType) =>
  function PageWithRight() {
    usePageTitle(title)
    const { can } = useSession()
    return rights.some(can) ? <Content /> : <NoRight page={title} rights={rights} />
  }
