from my_agent import model, pay
from provenanceguard import AsyncGuard
from provenanceguard.adapters.pydantic_ai import GuardedToolset
from pydantic_ai import Agent, FunctionToolset

guard = AsyncGuard("https://guard.example", "pgr_YOUR_KEY")
agent = Agent(model, toolsets=[GuardedToolset(FunctionToolset([pay]), guard)])
agent.run_sync("Pay Daniel $30.")
