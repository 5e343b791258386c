import { IconMapOff } from '@tabler/icons-react'
import { ButtonLink } from './links.tsx'
import { EmptyState } from './empty-state.tsx'
import { usePageTitle } from '../hooks/use-page-title.ts'
import * as t from '../texts.ts'

/** Page for unknown addresses. */
export function NotFound() {
  usePageTitle(t.notFound.title)
  return (
    <EmptyState icon={IconMapOff} title={t.notFound.title} hint={t.notFound.hint}>
      <ButtonLink to="/devices">{t.notFound.home}</ButtonLink>
    </EmptyState>
  )
}
