import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { Link } from 'react-router'
import { EmptyState } from './empty-state.tsx'
import { usePageTitle } from '../hooks/use-page-title.ts'
import * as t from '../texts.ts'

/** Page for unknown addresses. */
export function NotFound() {
  usePageTitle(t.notFound.title)
  return (
    <EmptyState icon={IconMapOff} title={t.notFound.title} hint={t.notFound.hint}>
      <Button component={Link} to="/devices">
        {t.notFound.home}
      </Button>
    </EmptyState>
  )
}
