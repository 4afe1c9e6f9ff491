import { Home } from '../../components/shell/home.tsx'

export default function HomePage() {
  return <Home />
}
