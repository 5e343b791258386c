import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { queries } from '../../api/queries.ts'
import * as t from '../../texts.ts'

/** Links below the ways to sign in. The help page starts with the address that was typed. */
export function EntryLinks({ email }: { email: string }) {
  const { data: settings } = useQuery(queries.publicSettings)
  return (
    <Group justify="center" gap="lg">
      <Anchor component={Link} to="/sign-in/help" state={{ email }}>
        {t.signIn.trouble}
      </Anchor>
      {settings?.isPublicRegistrationEnabled && (
        <Anchor component={Link} to="/welcome">
          {t.signIn.register}
        </Anchor>
      )}
    </Group>
  )
}
