from agents import Agent, Runner
from my_agent import model, pay
from provenanceguard import AsyncGuard
from provenanceguard.adapters.openai_agents import guard_tools

guard = AsyncGuard("https://guard.example", "pgr_YOUR_KEY")
agent = Agent("payer", model=model, tools=guard_tools(guard, [pay]))
Runner.run_sync(agent, "Pay Daniel $30.")
