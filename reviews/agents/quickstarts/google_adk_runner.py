import asyncio

from google.adk.runners import InMemoryRunner
from my_agent import agent
from provenanceguard import AsyncGuard
from provenanceguard.adapters.google_adk import GuardPlugin

guard = AsyncGuard("https://guard.example", "pgr_YOUR_KEY")
runner = InMemoryRunner(agent, app_name="payer", plugins=[GuardPlugin(guard)])
asyncio.run(runner.run_debug("Pay Daniel $30."))
